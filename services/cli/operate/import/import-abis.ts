import { z } from 'zod'
import {
  type AbiEntry,
  entrySelector,
  entryText,
  parseAbiEntry,
} from '../../../../libs/chain/abi-entry.ts'
import { abiJson } from '../../../../libs/topics/facts/abi-json.ts'
import { addressFact, addressFactKey } from '../../../../libs/topics/facts/address-facts.ts'
import { signatureFact, signatureFactKey } from '../../../../libs/topics/facts/signature-facts.ts'
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
    const text = key ?? data?.address ?? fileName
    const address = addressIn(text)
    if (address === null) return invalid(`not an address: ${quoted(text)}`)
    const entries = entriesOf(data === undefined ? value : data.abi)
    if (entries === null) return invalid(`no ABI of ${address}`)
    return factOf(address, entries, time)
  },
}

/** Entries that are not understood are left out: the others decode as well without them. */
function factOf(address: string, entries: readonly unknown[], time: number): Imported {
  const usable: unknown[] = []
  const leftOut: string[] = []
  for (const [at, entry] of entries.entries()) {
    const read = abiJson(entry)
    if (read === 'other') continue
    if ('invalid' in read) leftOut.push(`ABI of ${address}, entry ${at}: ${read.invalid}`)
    else usable.push(entry)
  }
  const [first] = leftOut
  if (usable.length === 0 && first !== undefined) return invalid(first)
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
  return { facts: [{ key: addressFactKey(fact), message: fact }], leftOut }
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

/** Of one selector, in one entry. */
const signaturesMax = 100

const one = z.union([z.string(), z.looseObject({ type: z.enum(['function', 'event']) })])
const several = z.union([
  one.transform((signature) => [signature]),
  z.array(one).max(signaturesMax),
])
const form = z.union([
  several.transform((signatures) => ({ selector: null, signatures })),
  z
    .object({ selector: z.string().nullable().default(null), signature: several })
    .transform(({ selector, signature }) => ({ selector, signatures: signature })),
])

/**
 * Functions and events by their selectors: a JSON object of one or more signatures by selector, a
 * JSON list of signatures, an ABI, or CSV with `signature` and perhaps `selector`.
 */
export const importSignatures: ImportKind = {
  topic: 'signature-facts',
  // Names of inputs may differ.
  takesFirst: true,
  read({ key, value }, { time }) {
    if (isOther(value)) return { facts: [] }
    const { data } = form.safeParse(value)
    if (data === undefined) return invalid(`no signature: ${quoted(value)}`)
    const selector = (key ?? (data.selector || null))?.toLowerCase() ?? null
    const facts = data.signatures.map((signature) => signatureFactOf(signature, selector, time))
    const fault = facts.find((fact) => 'invalid' in fact)
    return fault ?? { facts: facts.flatMap((fact) => ('facts' in fact ? fact.facts : [])) }
  },
}

/** An entry of an ABI that nothing is decoded by. */
const isOther = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && abiJson(value) === 'other'

function signatureFactOf(
  value: z.output<typeof one>,
  selector: string | null,
  time: number,
): Imported {
  const entry = typeof value === 'string' ? entryIn(value, selector) : entryOfJson(value)
  if (entry === null) return invalid(`no signature: ${quoted(value)}`)
  const fact = { selector: selector ?? entrySelector(entry), time, signature: entryText(entry) }
  const { data, error } = signatureFact.safeParse(fact)
  if (data === undefined) {
    return invalid(`${quoted(fact.selector)}: ${error.issues[0]?.message ?? 'no signature'}`)
  }
  return { facts: [{ key: signatureFactKey(data), message: data }] }
}

const topicCharacters = 66

const entryIn = (text: string, selector: string | null): AbiEntry | null =>
  parseAbiEntry(text, selector?.length === topicCharacters ? 'event' : 'function')

function entryOfJson(json: object): AbiEntry | null {
  const read = abiJson(json)
  return typeof read === 'object' && 'entry' in read ? read.entry : null
}
