import type { AbiEntry } from '../../../libs/chain/abi-entry.ts'
import { type Address, type Hex, isAddress } from '../../../libs/chain/hex.ts'
import { ResultTooLarge } from '../../../libs/ports/store.ts'
import type { DecodeBudget } from '../../../libs/presenters/abi/decode-budget.ts'
import type { PublishedSignatures } from '../../../libs/presenters/abi/published-signatures.ts'
import {
  type AddressFacts,
  noAddressFacts,
  noInstanceFacts,
  noTokenFacts,
  type TokenFacts,
} from '../../../libs/presenters/facts.ts'
import type { Head, Lookups, TokenRecord } from '../../../libs/presenters/lookups.ts'
import { type TransferRow, transferOf } from '../../../libs/presenters/objects/transfer.ts'
import { type AbiKey, abiKey } from '../../../libs/queries/contract-abis.ts'
import {
  type InstanceKey,
  instanceKey,
  instancesByKey,
} from '../../../libs/queries/instances/instances.ts'
import type { References } from './references.ts'
import type { LookupOptions } from './row-cache.ts'
import { instanceFacts, type SharedRows } from './shared-rows.ts'
import type { Read } from './tracked-read.ts'

const now = 'now'

/**
 * Looks up everything that the rows of a page refer to, in three rounds: the first returns owners
 * of instances and implementations of contracts, the second the implementations of these owners.
 * Transfers whose ids depend on the standard of their token need one more.
 */
export async function lookUp(
  references: References,
  sources: { read: Read; shared: SharedRows },
  { head, options }: { head: Head; options: LookupOptions },
): Promise<Lookups> {
  const { read } = sources
  const shared = withOptions(sources.shared, options)
  const { days, decodeBudget } = references
  const [tokens, tokenFacts, addresses, addressFacts, known, prices, ...abis] = await Promise.all([
    shared.tokens(references.tokens),
    shared.tokenFacts(references.tokens),
    shared.addresses(references.addresses),
    // A label may mark a token's address as a scam.
    shared.addressFacts(new Set([...references.addresses, ...references.tokens])),
    instancesOf(references.instances.values(), read),
    shared.coinPrices(days.size > 0 ? [now, ...days] : []),
    shared.abiEntries(ownAbiKeys(references)),
    shared.signatures(references.selectors),
  ])
  const late = await instancesOf(instancesOfAmounts(references.amounts, tokens), read)
  const instances = new Map([...known.states, ...late.states])
  const instanceFacts = new Map([...known.facts, ...late.facts])
  const [ownEntries, wellKnown] = abis
  const codeOf = (contract: Address): readonly Address[] =>
    implementationsOf(addresses.get(contract), addressFacts.get(contract))
  const implementations = [...references.addresses].flatMap(codeOf)
  const owners = [...instances.values()].flatMap(({ owner }) => owner ?? [])
  const further = new Set([...owners, ...implementations])
  for (const address of references.addresses) further.delete(address)
  const [furtherStates, furtherFacts, implementationEntries] = await Promise.all([
    shared.addresses(further),
    shared.addressFacts(further),
    shared.abiEntries(implementationAbiKeys(references, codeOf)),
  ])
  const codeOfOwners = new Set(
    owners.flatMap((owner) => implementationsOf(furtherStates.get(owner), furtherFacts.get(owner))),
  )
  for (const seen of [...references.addresses, ...further]) codeOfOwners.delete(seen)
  const lastFacts = await shared.addressFacts(codeOfOwners)
  const factsOf = (address: Address): AddressFacts | undefined =>
    addressFacts.get(address) ?? furtherFacts.get(address) ?? lastFacts.get(address)
  const records = tokenRecordsOf({ tokens, tokenFacts, addressFacts })
  return {
    head,
    decodeBudget,
    coinPrice: prices.get(now) ?? null,
    coinPriceOn: (day) => prices.get(day) ?? null,
    token: (address) => records.get(address) ?? null,
    address: (address) => ({
      state: addresses.get(address) ?? furtherStates.get(address) ?? null,
      facts: factsOf(address) ?? noAddressFacts,
    }),
    signatures: publishedSignaturesIn({
      entries: [ownEntries, implementationEntries],
      wellKnown,
      codeOf,
      budget: decodeBudget,
    }),
    instance(token, tokenId) {
      const key = instanceKey({ token, tokenId })
      return {
        state: instances.get(key) ?? null,
        facts: instanceFacts.get(key) ?? noInstanceFacts,
      }
    },
  }
}

/** Implementations of one contract that are looked up: a diamond has dozens. */
const implementationsMax = 32

/** The contracts whose code an address runs: an account's delegate, else its implementations. */
function implementationsOf(
  state: { readonly delegate: Address | null } | undefined,
  facts: Pick<AddressFacts, 'implementations'> | undefined,
): readonly Address[] {
  if (state?.delegate) return [state.delegate]
  const published = (facts?.implementations ?? []).slice(0, implementationsMax)
  return published.map(({ address }) => address).filter(isAddress)
}

/** Only tokens have throttled stats: everything else is looked up exactly. */
function withOptions(shared: SharedRows, options: LookupOptions) {
  const exactly: LookupOptions = { ...options, stats: 'exact' }
  return {
    tokens: (subjects: Iterable<Address>) => shared.tokens(subjects, options),
    tokenFacts: (subjects: Iterable<Address>) => shared.tokenFacts(subjects, options),
    addresses: (subjects: Iterable<Address>) => shared.addresses(subjects, exactly),
    addressFacts: (subjects: Iterable<Address>) => shared.addressFacts(subjects, exactly),
    abiEntries: (keys: Iterable<AbiKey>) => shared.abiEntries(keys, exactly),
    signatures: (selectors: Iterable<Hex>) => shared.signatures(selectors, exactly),
    coinPrices: (moments: Iterable<string>) => shared.coinPrices(moments, exactly),
  }
}

type CodeOf = (contract: Address) => readonly Address[]

/** ABI entries of the contracts themselves. */
const ownAbiKeys = (references: References): readonly AbiKey[] =>
  [...references.contractSelectors.values()].map(({ contract, selector }) =>
    abiKey(contract, selector),
  )

/** ABI entries of the contracts whose code they run. */
const implementationAbiKeys = (references: References, codeOf: CodeOf): readonly AbiKey[] =>
  [...references.contractSelectors.values()].flatMap(({ contract, selector }) =>
    codeOf(contract).map((implementation) => abiKey(implementation, selector)),
  )

interface FoundSignatures {
  readonly entries: readonly ReadonlyMap<AbiKey, AbiEntry>[]
  readonly wellKnown: ReadonlyMap<Hex, readonly AbiEntry[]>
  readonly codeOf: CodeOf
}

/** Signatures of a selector: by the contract, by its implementations, well-known ones. */
const publishedSignaturesIn =
  ({ entries, wellKnown, codeOf, budget }: FoundSignatures & { budget: DecodeBudget }) =>
  (contract: Address | null, selector: Hex): PublishedSignatures => {
    const contracts = contract === null ? [] : [contract, ...codeOf(contract)]
    const own = contracts.flatMap((at) => {
      const key = abiKey(at, selector)
      return entries.flatMap((found) => found.get(key) ?? []).slice(0, 1)
    })
    return { own, wellKnown: wellKnown.get(selector) ?? [], budget }
  }

const none: ReadonlyMap<string, never> = new Map<string, never>()

/** State and metadata of instances. */
async function instancesOf(ids: Iterable<InstanceKey>, read: Read) {
  const keys = [...ids]
  if (keys.length === 0) return { states: none, facts: none }
  const [states, facts] = await Promise.all([read(instancesByKey, keys), read(instanceFacts, keys)])
  return { states, facts }
}

/** Instances of `instancesOfAmounts`: no list of transfers has more, and no summary. */
export const instancesOfAmountsMax = 256

/**
 * Those in transfers of the form of ERC-20 whose tokens are of ERC-721. Until the tokens are read,
 * nothing tells them from amounts.
 *
 * @throws ResultTooLarge when there are more than `instancesOfAmountsMax`
 */
function instancesOfAmounts(
  rows: readonly TransferRow[],
  tokens: ReadonlyMap<Address, TokenRecord['state']>,
): Iterable<InstanceKey> {
  const ids = new Map<string, InstanceKey>()
  for (const row of rows) {
    const { token, tokenId } = transferOf(row, tokens.get(row.token) ?? null)
    if (tokenId !== null) ids.set(instanceKey({ token, tokenId }), { token, tokenId })
  }
  if (ids.size > instancesOfAmountsMax) {
    throw new ResultTooLarge(`${ids.size} instances of a page, at most ${instancesOfAmountsMax}`)
  }
  return ids.values()
}

interface TokenRows {
  readonly tokens: ReadonlyMap<Address, TokenRecord['state']>
  readonly tokenFacts: ReadonlyMap<Address, TokenFacts>
  readonly addressFacts: ReadonlyMap<Address, AddressFacts>
}

/** Tokens with what was published about them; a label of the address may mark a scam, too. */
function tokenRecordsOf({ tokens, tokenFacts, addressFacts }: TokenRows) {
  const records = new Map<Address, TokenRecord>()
  for (const [address, state] of tokens) {
    const facts = tokenFacts.get(address) ?? noTokenFacts
    const isScam = facts.isScam || (addressFacts.get(address)?.isScam ?? false)
    records.set(address, { state, facts: { ...facts, isScam } })
  }
  return records
}
