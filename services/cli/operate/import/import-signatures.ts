import { z } from 'zod'
import { type AbiEntry, entrySelector, entryText } from '../../../../libs/chain/abi-entry.ts'
import { parseAbiEntry } from '../../../../libs/chain/abi-text.ts'
import { abiJson } from '../../../../libs/topics/abi-json.ts'
import { signatureFact, signatureFactKey } from '../../../../libs/topics/signature-facts.ts'
import { type Imported, type ImportKind, invalid, quoted } from './imported.ts'

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
    const facts = data.signatures.map((signature) => factOf(signature, selector, time))
    const fault = facts.find((fact) => 'invalid' in fact)
    return fault ?? { facts: facts.flatMap((fact) => ('facts' in fact ? fact.facts : [])) }
  },
}

/** An entry of an ABI that nothing is decoded by. */
const isOther = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && abiJson(value) === 'other'

function factOf(said: z.output<typeof one>, selector: string | null, time: number): Imported {
  const entry = typeof said === 'string' ? entryIn(said, selector) : entryOfJson(said)
  if (entry === null) return invalid(`no signature: ${quoted(said)}`)
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
