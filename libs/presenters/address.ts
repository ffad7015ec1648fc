import { createKeccak } from 'hash-wasm'
import { z } from 'zod'
import { type Address, isAddress } from '../chain/hex.ts'
import type { AddressFacts } from './facts.ts'
import type { Lookups } from './lookups.ts'
import { withSafeUrls } from './objects/safe-url.ts'
import { checksummedString, named, textOrNull } from './schemas.ts'

const tagSchema = z.object({
  slug: z.string().describe('Short name of the tag, for URLs.'),
  name: z.string().describe('Name of the tag, for display.'),
  tagType: z.string().describe('Kind of the tag, for example name or generic.'),
  ordinal: z.int().describe('Rank of the tag among others, as it was imported.'),
  meta: z
    .record(z.string(), z.unknown())
    .describe('Further values, as they were imported; URLs with other schemes are null.'),
})

const labelSchema = z.object({
  address_hash: z.string().describe('The address, checksummed by EIP-55.'),
  display_name: z.string().describe('Name of the tag.'),
  label: z.string().describe('Slug of the tag.'),
})

/** Schema of {@link addressObject}. */
export const addressSchema = named(
  'Address',
  z
    .object({
      hash: checksummedString.describe('The address, checksummed by EIP-55.'),
      name: textOrNull.describe('Name of the verified source, else of the first tag of type name.'),
      implementation_name: textOrNull.describe('Name of the first of implementations.'),
      ens_domain_name: textOrNull.describe('Primary ENS name; null if none was imported.'),
      metadata: tagSchema
        .extend({ tags: z.array(tagSchema).describe('All tags of the address.') })
        .nullable()
        .describe('The first tag, and all of them in tags; null without tags.'),
      is_contract: z.boolean().describe('Whether it has code; true for an EIP-7702 account.'),
      is_verified: z
        .boolean()
        .describe('Whether verified source was imported; of a minimal proxy that of its targets.'),
      is_scam: z.boolean().describe('Whether it was imported as scam.'),
      reputation: z.enum(['ok', 'scam']).describe('scam if is_scam, else ok.'),
      proxy_type: textOrNull.describe('Kind of proxy, or eip7702; null if it is none.'),
      implementations: z
        .array(
          z.object({
            address_hash: z.string().describe('Address of the implementation.'),
            name: textOrNull.describe('Its name; null if unknown.'),
          }),
        )
        .describe('Contracts whose code a proxy runs; else empty.'),
      private_tags: z
        .array(labelSchema)
        .max(0)
        .describe('Always empty: there are no accounts of users.'),
      public_tags: z.array(labelSchema).describe('The tags of metadata.tags in an older form.'),
      watchlist_names: z
        .array(labelSchema.omit({ address_hash: true }))
        .max(0)
        .describe('Always empty: there are no accounts of users.'),
    })
    .describe('An address, with what is known of it.'),
)

/** An address as every body shows it. */
export function addressObject(address: Address, lookups: Lookups) {
  const { state, facts } = lookups.address(address)
  const delegate = state?.delegate ?? null
  const run = delegate === null ? facts.implementations : [{ address: delegate, name: null }]
  const implementations = run.map((one) => implementationObject(one, lookups))
  const proxyType = delegate === null ? facts.proxyType : 'eip7702'
  return {
    hash: checksum(address),
    name: nameOf(facts),
    implementation_name: implementations[0]?.name ?? null,
    ens_domain_name: facts.ensName,
    metadata: tagsOf(facts),
    is_contract: (state?.isContract ?? false) || delegate !== null,
    is_verified: facts.isVerified || isVerifiedProxy(proxyType, run, lookups),
    is_scam: facts.isScam,
    reputation: facts.isScam ? 'scam' : 'ok',
    proxy_type: proxyType,
    implementations,
    private_tags: [],
    public_tags: publicTags(address, facts),
    watchlist_names: [],
  }
}

/** The object where there is an address, else null. */
export const addressOrNull = (address: Address | null, lookups: Lookups) =>
  address === null ? null : addressObject(address, lookups)

/** The name of the verified source, else of the first tag that is a name. */
const nameOf = ({ name, tags }: AddressFacts): string | null =>
  name ?? tags.find(({ tagType }) => tagType === 'name')?.name ?? null

type Implementation = AddressFacts['implementations'][number]

/** Named by the fact about the proxy, else by the facts about the implementation itself. */
const implementationObject = ({ address, name }: Implementation, lookups: Lookups) =>
  isAddress(address)
    ? { address_hash: checksum(address), name: name ?? nameOf(lookups.address(address).facts) }
    : { address_hash: address, name }

/** Kinds that have no code of their own to verify. */
const minimalProxyTypes = new Set<string | null>([
  'eip1167',
  'eip7702',
  'clone_with_immutable_arguments',
  'erc7760',
  'minimal_proxy',
])

/** A minimal proxy is verified if all of its implementations are; a tag does not verify. */
const isVerifiedProxy = (
  proxyType: string | null,
  run: readonly Implementation[],
  lookups: Lookups,
): boolean =>
  minimalProxyTypes.has(proxyType) &&
  run.length > 0 &&
  run.every(({ address, name }) => {
    const own = isAddress(address) ? lookups.address(address).facts.name : null
    return (name ?? own) !== null
  })

/** All tags in the older form, which some clients read instead of `metadata`. */
const publicTags = (address: Address, { tags }: AddressFacts) =>
  tags.map(({ name, slug }) => ({
    address_hash: checksum(address),
    display_name: name,
    label: slug,
  }))

/** All tags, and the first of them flattened beside: old and new clients read different ones. */
function tagsOf(facts: AddressFacts) {
  const tags = facts.tags.map((tag) => ({ ...tag, meta: withSafeUrls(tag.meta) }))
  const [first] = tags
  return first === undefined ? null : { ...first, tags }
}

/** EIP-55 form, the only one that bodies show. */
export function checksum(address: Address): string {
  const slot = slotOf(address)
  const known = checksums[slot]
  if (known?.address === address) return known.checksum
  const found = computedChecksum(address)
  checksums[slot] = { address, checksum: found }
  return found
}

interface KnownChecksum {
  readonly address: Address
  readonly checksum: string
}

const slots = 16_384

/**
 * The last checksum of each slot. An LRU cache was tried: for an address that was not shown before,
 * it took a sixth of the time of the checksum.
 */
const checksums = new Array<KnownChecksum | undefined>(slots).fill(undefined)

/** By the last four digits. */
function slotOf(address: Address): number {
  let number = 0
  for (let at = address.length - 4; at < address.length; at++) {
    const code = address.charCodeAt(at)
    number = number * 16 + (code < codeOfA ? code - codeOfZero : code - codeOfA + 10)
  }
  return number % slots
}

const codeOfZero = '0'.charCodeAt(0)
const keccak256 = await createKeccak(256)

/** Of the address, then of its checksummed form; used again for each. */
const characters = Buffer.alloc(42)
const digits = characters.subarray(2)
const codeOfA = 'a'.charCodeAt(0)
const toUpperCase = 'A'.charCodeAt(0) - codeOfA

/**
 * A letter is upper case where the digit of the hash at its place is 8 or more. Written in place: a
 * string that grows by characters is a tree of them, which the cache would keep.
 */
function computedChecksum(address: Address): string {
  characters.write(address, 'latin1')
  const hash = keccak256.init().update(digits).digest('binary')
  for (let at = 0; at < digits.length; at++) {
    const byte = hash[at >> 1] ?? 0
    const isUpper = (at % 2 === 0 ? byte >> 4 : byte & 15) >= 8
    const digit = digits[at] ?? 0
    if (isUpper && digit >= codeOfA) digits[at] = digit + toUpperCase
  }
  return characters.toString('latin1')
}
