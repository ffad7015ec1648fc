import { type Address, isAddress } from '../chain/hex.ts'
import { checksum } from './checksum.ts'
import type { AddressFacts } from './facts.ts'
import type { Known } from './known.ts'
import { withShownUrls } from './shown-url.ts'

/** An address as every body shows it (2.1). */
export function addressObject(address: Address, known: Known) {
  const { state, facts } = known.address(address)
  const delegate = state?.delegate ?? null
  const proxyType = delegate === null ? facts.proxyType : 'eip7702'
  const implementations = delegate === null ? stated(facts) : [delegation(delegate, known)]
  return {
    hash: checksum(address),
    name: facts.name,
    implementation_name: implementations[0]?.name ?? null,
    ens_domain_name: facts.ensName,
    metadata: tagsOf(facts),
    is_contract: (state?.isContract ?? false) || delegate !== null,
    is_verified: facts.isVerified || isNamedProxy(proxyType, implementations),
    is_scam: facts.isScam,
    reputation: facts.isScam ? 'scam' : 'ok',
    proxy_type: proxyType,
    implementations,
    private_tags: [],
    public_tags: [],
    watchlist_names: [],
  }
}

/** The object where there is an address, else null. */
export const addressOrNull = (address: Address | null, known: Known) =>
  address === null ? null : addressObject(address, known)

const stated = (facts: AddressFacts) =>
  facts.implementations.map(({ address, name }) => ({
    address_hash: isAddress(address) ? checksum(address) : address,
    name,
  }))

/** Kinds that have no code of their own to verify. */
const minimalProxyTypes = new Set<string | null>([
  'eip1167',
  'eip7702',
  'clone_with_immutable_arguments',
  'erc7760',
  'minimal_proxy',
])

/** A minimal proxy is as verified as what it runs: known by name, all of it. */
const isNamedProxy = (
  proxyType: string | null,
  implementations: readonly { readonly name: string | null }[],
): boolean =>
  minimalProxyTypes.has(proxyType) &&
  implementations.length > 0 &&
  implementations.every(({ name }) => name !== null)

/** Whose code an EIP-7702 account runs. */
const delegation = (delegate: Address, known: Known) => ({
  address_hash: checksum(delegate),
  name: known.address(delegate).facts.name,
})

/** All tags, and the first of them flattened beside: old and new clients read different ones. */
function tagsOf(facts: AddressFacts) {
  const tags = facts.tags.map((tag) => ({ ...tag, meta: withShownUrls(tag.meta) }))
  const [first] = tags
  return first === undefined ? null : { ...first, tags }
}
