import { z } from 'zod'
import { named } from './named.ts'
import { checksummed, words } from './words.ts'

const tag = z.object({
  slug: z.string(),
  name: z.string(),
  tagType: z.string(),
  ordinal: z.int(),
  meta: z.record(z.string(), z.unknown()),
})

const label = z.object({ address_hash: z.string(), display_name: z.string(), label: z.string() })

/** See `../address.ts`. */
export const address = named(
  'Address',
  z.object({
    hash: checksummed,
    name: words,
    implementation_name: words,
    ens_domain_name: words,
    metadata: tag.extend({ tags: z.array(tag) }).nullable(),
    is_contract: z.boolean(),
    is_verified: z.boolean(),
    is_scam: z.boolean(),
    reputation: z.enum(['ok', 'scam']),
    proxy_type: words,
    implementations: z.array(z.object({ address_hash: z.string(), name: words })),
    private_tags: z.array(label).max(0).describe('always empty: there are no accounts of users'),
    public_tags: z.array(label),
    watchlist_names: z
      .array(label.omit({ address_hash: true }))
      .max(0)
      .describe('always empty: there are no accounts of users'),
  }),
)
