import { z } from 'zod'
import type { Row, Versioned } from '../tables/declare/table.ts'
import type { addressLabels } from '../tables/tables/addresses.ts'
import type { instanceMetadata } from '../tables/tables/instances.ts'
import type { tokenMarket } from '../tables/tables/tokens.ts'
import { hasFewValues } from './objects/metadata-values.ts'

/** What is known off the chain, as bodies show it. Absent knowledge is null or empty. */

export const noTokenFacts = {
  name: null,
  symbol: null,
  decimals: null,
  exchangeRate: null,
  volume24h: null,
  marketCap: null,
  circulatingSupply: null,
  iconUrl: null,
  isScam: false,
}

/** A blank text counts as absent. */
const text = z
  .string()
  .nullable()
  .transform((value) => (value === null || value.trim() === '' ? null : value))
  .default(null)
const yes = z.boolean().default(false)

const market = z.object({
  exchangeRate: text,
  volume24h: text,
  marketCap: text,
  circulatingSupply: text,
})
const words = z.object({
  name: text,
  symbol: text,
  decimals: z.int().nullable().default(null),
})
const correction = words.extend({ isScam: yes })
const icon = z.object({ url: text }).transform(({ url }) => ({ iconUrl: url }))

export interface TokenFacts
  extends z.output<typeof market>,
    z.output<typeof correction>,
    z.output<typeof icon> {}

const tag = z.object({
  slug: z.string(),
  name: z.string(),
  tagType: z.string(),
  ordinal: z.int(),
  meta: z.record(z.string(), z.unknown()),
})
const tags = z.object({ tags: z.array(tag).default([]) })
const label = tags.extend({ isScam: yes })
const ens = z.object({ name: text }).transform(({ name }) => ({ ensName: name }))
const proxy = z.object({
  proxyType: text,
  implementations: z.array(z.object({ address: z.string(), name: text })).default([]),
})
const verification = z.object({ isVerified: yes, name: text })

export interface AddressFacts
  extends z.output<typeof label>,
    z.output<typeof ens>,
    z.output<typeof proxy>,
    z.output<typeof verification> {}

export const noAddressFacts: AddressFacts = {
  name: null,
  ensName: null,
  tags: [],
  isVerified: false,
  isScam: false,
  proxyType: null,
  implementations: [],
}

const media = z.object({ imageUrl: text, animationUrl: text, externalUrl: text, mediaType: text })
/** Checked without a look at each member: strangers publish thousands. */
const document = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)
const instance = z.object({
  metadata: document.nullable().default(null),
  media: media.nullable().default(null),
})

export type InstanceFacts = z.output<typeof instance>

export const noInstanceFacts: InstanceFacts = { metadata: null, media: null }

/**
 * Each kind of fact laid over what is absent, the newest last, as two kinds hold the same words;
 * what does not read counts as absent.
 */
export function tokenFactsOf(rows: readonly Row<typeof tokenMarket>[]): TokenFacts {
  const forms = { market, words, correction, icon }
  return Object.assign({ ...noTokenFacts }, ...ascending(rows).map((row) => read(forms, row)))
}

export function addressFactsOf(rows: readonly Row<typeof addressLabels>[]): AddressFacts {
  const forms = { tags, label, ens, proxy, verification }
  return Object.assign({ ...noAddressFacts }, ...ascending(rows).map((row) => read(forms, row)))
}

export const instanceFactsOf = ({ fact }: Row<typeof instanceMetadata>): InstanceFacts =>
  hasFewValues(fact) ? (instance.safeParse(parsed(fact)).data ?? noInstanceFacts) : noInstanceFacts

const ascending = <R extends Versioned>(rows: readonly R[]): readonly R[] =>
  rows.toSorted((one, other) => one.position - other.position)

type Forms = Readonly<Record<string, z.ZodType<object>>>

const read = (forms: Forms, { kind, fact }: { kind: string; fact: string }): object =>
  forms[kind]?.safeParse(parsed(fact)).data ?? {}

function parsed(fact: string): unknown {
  try {
    return JSON.parse(fact)
  } catch {
    return null
  }
}
