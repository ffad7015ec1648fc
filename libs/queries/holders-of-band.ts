import type { Address } from '../chain/hex.ts'
import { address } from '../chain/hex.ts'
import type { Store } from '../ports/store.ts'
import { part as parts } from '../tables/balances.ts'
import { holders as table } from '../tables/holders.ts'
import type { Row } from '../tables/table.ts'
import { ascending, bare, uint256Last } from './parameters.ts'
import { query } from './query.ts'
import { asRead, type Reading, read } from './reading.ts'

export type Holder = Row<typeof table>
export type HolderPlace = Pick<Holder, 'value' | 'holder' | 'part' | 'tokenId'>

/** Reads a whole band inside the engine: the budget is that of a band of 20,000. */
export const holdersOfBand = query({
  file: new URL('./holders-of-band.sql', import.meta.url),
  table,
  budget: { rowsMax: 60_000, bytesMax: 6_000_000 },
})
export const holdersVersions = query({
  file: new URL('./holders-versions.sql', import.meta.url),
  table,
  budget: { rowsMax: 64_000, bytesMax: 4_000_000 },
})

const first: HolderPlace = {
  value: uint256Last,
  holder: address(`0x${'f'.repeat(40)}`),
  part: parts.instance,
  tokenId: uint256Last,
}

interface HoldersOfBand {
  readonly token: Address
  readonly band: number
  readonly after: HolderPlace | null
  readonly limit: number
}

/** A band that is too large to be read whole, in the order of the list. */
export function readBand(store: Store, { token, band, after, limit }: HoldersOfBand) {
  const list = { token: bare(token), band }
  const fetch = (last: Holder | null, rowsMax: number) => {
    const { value, holder, part, tokenId } = last ?? after ?? first
    const place = { value, holder: bare(holder), part, tokenId }
    return holdersOfBand.ask(store, { ...list, ...place, rowsMax })
  }
  const reading: Reading<Holder> = {
    table,
    placeOf: (row) => `${row.value}|${row.holder}|${row.part}|${row.tokenId}`,
    fetch,
    fetchRowsMax: 1_000,
    versionsOf: (rows) =>
      holdersVersions.ask(store, {
        ...list,
        holders: rows.map(({ holder }) => bare(holder)),
        parts: rows.map((row) => row.part),
        tokenIds: rows.map(({ tokenId }) => tokenId),
      }),
  }
  return read(reading, limit, asRead)
}

/** Value, holder, part and token id descending. */
export const inOrder = (one: HolderPlace, other: HolderPlace): number =>
  ascending(other.value, one.value) ||
  ascending(other.holder, one.holder) ||
  ascending(other.part, one.part) ||
  ascending(other.tokenId, one.tokenId)

export const isBeyond =
  (after: HolderPlace | null) =>
  (row: HolderPlace): boolean =>
    after === null || inOrder(after, row) < 0
