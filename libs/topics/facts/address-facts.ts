import { z } from 'zod'
import { addressText, integerNumber, shallowJson, shallowObject } from '../quantities.ts'

const envelope = {
  address: addressText,
  /** Unix time in seconds at which the fact was true, set by its publisher. */
  time: integerNumber,
}
const words = z.string().max(1024)
const tagMetaCharactersMax = 16 * 1024

const tag = z.object({
  slug: words,
  name: words,
  tagType: words,
  ordinal: z.int(),
  meta: shallowObject(tagMetaCharactersMax),
})

/** Public name tags, the most telling first. */
const tags = z.object({ ...envelope, kind: z.literal('tags'), tags: z.array(tag).max(100) })

/**
 * The same, by who also knows whether it is a scam: a later `tags` replaces the tags of it and
 * leaves the mark. A kind of its own, as the last of a key is all that a compacted topic keeps.
 */
const label = tags.extend({ kind: z.literal('label'), isScam: z.boolean() })

const ens = z.object({ ...envelope, kind: z.literal('ens'), name: words.nullable() })

const abi = z.object({
  ...envelope,
  kind: z.literal('abi'),
  entries: z.array(z.record(z.string(), shallowJson)).max(10_000),
})

const proxy = z.object({
  ...envelope,
  kind: z.literal('proxy'),
  /** `eip1967`, `eip1167` and so on; null where it is no proxy any more. */
  proxyType: words.nullable(),
  implementations: z.array(z.object({ address: addressText, name: words.nullable() })).max(100),
})

const verification = z.object({
  ...envelope,
  kind: z.literal('verification'),
  isVerified: z.boolean(),
  name: words.nullable(),
})

/** A message of topic `address-facts`: what is known off-chain; the last of a key wins. */
export const addressFact = z.discriminatedUnion('kind', [
  tags,
  label,
  ens,
  abi,
  proxy,
  verification,
])

export type AddressFact = z.output<typeof addressFact>
export const addressFactKey = (fact: AddressFact): string => `${fact.address}:${fact.kind}`
