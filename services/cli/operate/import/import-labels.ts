import { z } from 'zod'
import { firstIssueOf } from '../../../../libs/topics/codec.ts'
import { addressFact, addressFactKey } from '../../../../libs/topics/facts/address-facts.ts'
import { addressIn, type ImportKind, invalid, quoted, scamMark } from './imported.ts'

/** A list, or in CSV its items between semicolons. */
const words = z.union(
  [z.array(z.string()), z.string().transform((text) => text.split(';').map((word) => word.trim()))],
  { error: ({ input }) => `not a list of texts: ${quoted(input)}` },
)

const tag = z.object({
  slug: z.string(),
  name: z.string(),
  tagType: z.string(),
  ordinal: z.int().default(0),
  meta: z.record(z.string(), z.json()).default({}),
})

const form = z.object({
  address: z.string().optional(),
  /** What the address is called in public. */
  name: z.string().nullable().default(null),
  /** What it belongs to: `exchange`, `bridge`. */
  labels: words.default([]),
  /** Whole tags, instead of name and labels. */
  tags: z.array(tag).default([]),
  is_scam: scamMark,
})

/** Public tags of addresses: a JSON object by address, a JSON list, or CSV. */
export const importLabels: ImportKind = {
  topic: 'address-facts',
  read({ key, value }, { time }) {
    const { data, error } = form.safeParse(value)
    if (data === undefined) return invalid(firstIssueOf(error, 'label'))
    const address = addressIn(key ?? data.address)
    if (address === null) return invalid(`not an address: ${quoted(key ?? data.address ?? '')}`)
    const labels = data.labels.filter((label) => label !== '')
    const tags = [
      ...data.tags,
      ...(data.name === null || data.name.trim() === '' ? [] : [nameTag(data.name.trim())]),
      ...labels.map(genericTag),
    ]
    const { is_scam } = data
    if (tags.length === 0 && is_scam === null) return invalid('neither a name nor a label')
    const said = { address, time, tags }
    const { data: fact, error: fault } = addressFact.safeParse(
      is_scam === null ? { kind: 'tags', ...said } : { kind: 'label', ...said, isScam: is_scam },
    )
    if (fact === undefined) return invalid(firstIssueOf(fault, 'label'))
    return { facts: [{ key: addressFactKey(fact), message: fact }] }
  },
}

/** Names come before all else. */
const nameOrdinal = 10
const nameTag = (name: string) => ({
  slug: slugOf(name),
  name,
  tagType: 'name',
  ordinal: nameOrdinal,
  meta: {},
})
const genericTag = (name: string) => ({
  slug: slugOf(name),
  name,
  tagType: 'generic',
  ordinal: 0,
  meta: {},
})

/** `Hop Protocol: USDC Bridge` becomes `hop-protocol-usdc-bridge`. */
const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
