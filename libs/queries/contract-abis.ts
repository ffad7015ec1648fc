import { type AbiEntry, parseAbiEntry } from '../chain/abi-entry.ts'
import { type Address, address as asAddress, type Hex, hex, withoutPrefix } from '../chain/hex.ts'
import type { Store } from '../ports/store.ts'
import type { Row } from '../tables/declare/table.ts'
import { contractAbis as table } from '../tables/tables/abis.ts'
import { query } from './reading/query.ts'
import { keyedQuestion } from './reading/question.ts'
import { readByKeys } from './reading/read-by-keys.ts'

const contractAbisQuery = query({
  file: new URL('./contract-abis.sql', import.meta.url),
  table,
  budget: { rowsMax: 128_000, bytesMax: 16_000_000 },
})

/** Names a function or an event of a contract: `address|selector`. */
export type AbiKey = string

/** @param selector four bytes of a function, 32 of an event */
export const abiKey = (address: Address, selector: Hex): AbiKey => `${address}|${selector}`

export const contractOf = (key: AbiKey): Address => asAddress(key.slice(0, key.indexOf('|')))
const selectorIn = (key: AbiKey): Hex => hex(key.slice(key.indexOf('|') + 1))

/** The row of an ABI without a selector contains its position. */
const headSelector: Hex = '0x'

/** Signatures of the ABI that each contract has now. */
export async function abisOfContracts(
  store: Store,
  keys: readonly AbiKey[],
): Promise<Map<AbiKey, string>> {
  const heads = new Set(keys.map((key) => abiKey(contractOf(key), headSelector)))
  const parametersOf = (some: readonly AbiKey[]) => ({
    addresses: some.map((key) => withoutPrefix(contractOf(key))),
    selectors: some.map((key) => withoutPrefix(selectorIn(key))),
  })
  const options = { query: contractAbisQuery, table, parametersOf }
  return signaturesNow(await readByKeys(store, options, [...heads, ...keys]))
}

/** Entries of the ABI that each contract has now; one that cannot be parsed is missing. */
export const abiEntries = keyedQuestion({
  table,
  subjects: (keys: readonly AbiKey[]) => keys.map(contractOf),
  idOf: (key: AbiKey) => key,
  async read(store, keys): Promise<ReadonlyMap<AbiKey, AbiEntry>> {
    const texts = await abisOfContracts(store, keys)
    return new Map(
      [...texts].flatMap(([key, text]) => {
        const entry = parseAbiEntry(text)
        return entry === null ? [] : [[key, entry] as const]
      }),
    )
  },
})

function signaturesNow(rows: readonly Row<typeof table>[]): Map<AbiKey, string> {
  const isHead = ({ selector }: Row<typeof table>) => selector === headSelector
  const positions = new Map(rows.filter(isHead).map((row) => [row.address, row.position]))
  return new Map(
    rows.flatMap((row) =>
      isHead(row) || row.position !== positions.get(row.address)
        ? []
        : [[abiKey(row.address, row.selector), row.signature]],
    ),
  )
}
