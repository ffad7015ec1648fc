import { z } from 'zod'
import { abiJson } from '../../../../libs/topics/abi-json.ts'
import { addressFact, addressFactKey } from '../../../../libs/topics/address-facts.ts'
import { addressIn, type Imported, type ImportKind, invalid, quoted } from './imported.ts'

/** Of one ABI as JSON; the greatest known have some hundred thousand. */
const abiCharactersMax = 2_000_000

const list = z.array(z.unknown()).max(10_000)
/** An ABI as it is, as a compiler writes it, or as text. */
const abiForm = z.union([list, z.object({ abi: list }), z.string()])
const named = z.object({ address: z.string(), abi: z.unknown() })

/**
 * ABIs of contracts: a JSON object by address, a JSON list or CSV with `address` and `abi`, or a
 * file that is named by the address and holds one ABI.
 */
export const importAbis: ImportKind = {
  topic: 'address-facts',
  isOneEntry: (json, fileName) => addressIn(fileName) !== null && entriesOf(json) !== null,
  read({ key, value }, { time, fileName }) {
    const { data } = named.safeParse(value)
    const said = key ?? data?.address ?? fileName
    const address = addressIn(said)
    if (address === null) return invalid(`not an address: ${quoted(said)}`)
    const entries = entriesOf(data === undefined ? value : data.abi)
    if (entries === null) return invalid(`no ABI of ${address}`)
    return factOf(address, entries, time)
  },
}

function factOf(address: string, entries: readonly unknown[], time: number): Imported {
  const usable: unknown[] = []
  for (const [at, entry] of entries.entries()) {
    const read = abiJson(entry)
    if (read === 'other') continue
    if ('invalid' in read) return invalid(`ABI of ${address}, entry ${at}: ${read.invalid}`)
    usable.push(entry)
  }
  const { data: fact, error } = addressFact.safeParse({
    address,
    time,
    kind: 'abi',
    entries: usable,
  })
  if (fact === undefined) return invalid(`ABI of ${address}: ${error.issues[0]?.message ?? 'none'}`)
  if (JSON.stringify(fact).length > abiCharactersMax) {
    return invalid(`ABI of ${address}: above ${abiCharactersMax} characters`)
  }
  return { facts: [{ key: addressFactKey(fact), message: fact }] }
}

/** Null for what is no ABI. */
function entriesOf(value: unknown): readonly unknown[] | null {
  const { data } = abiForm.safeParse(value)
  if (data === undefined) return null
  if (typeof data !== 'string') return 'abi' in data ? data.abi : data
  try {
    return list.safeParse(JSON.parse(data)).data ?? null
  } catch {
    return null
  }
}
