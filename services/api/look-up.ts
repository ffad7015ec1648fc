import type { AbiEntry } from '../../libs/chain/abi-entry.ts'
import { type Address, type Hex, isAddress } from '../../libs/chain/hex.ts'
import {
  type AddressFacts,
  noAddressFacts,
  noInstanceFacts,
  noTokenFacts,
  type TokenFacts,
} from '../../libs/presenters/facts.ts'
import type { Head, Lookups } from '../../libs/presenters/lookups.ts'
import type { AbiKey } from '../../libs/queries/contract-abis.ts'
import { instanceKey } from '../../libs/queries/instances.ts'
import type { addressState } from '../../libs/tables/address-state.ts'
import type { Row } from '../../libs/tables/table.ts'
import type { tokenState } from '../../libs/tables/token-state.ts'
import type { Reads } from './asks.ts'
import {
  implementationsMax,
  ownAbiKeys,
  publishedSignaturesIn,
  runAbiKeys,
} from './look-up-signatures.ts'
import type { References } from './needs.ts'
import type { LookupOptions } from './remembered.ts'

type Look<K, R> = (subjects: Iterable<K>, options: LookupOptions) => Promise<ReadonlyMap<K, R>>

/** Rows that many pages share; remembered between requests. */
export interface SharedRows {
  readonly tokens: Look<Address, Row<typeof tokenState>>
  readonly tokenFacts: Look<Address, TokenFacts>
  readonly addresses: Look<Address, Row<typeof addressState>>
  readonly addressFacts: Look<Address, AddressFacts>
  readonly abiEntries: Look<AbiKey, AbiEntry>
  readonly signatures: Look<Hex, readonly AbiEntry[]>
  readonly coinPrices: Look<string, string>
}

const now = 'now'

/**
 * Looks up all that the rows of a page name, in three waves: owners of instances, and whose code
 * contracts run, are known only after the first, whose code owners run after the second.
 */
export async function lookUp(
  references: References,
  sources: { reads: Pick<Reads, 'instanceStates' | 'instanceFacts'>; shared: SharedRows },
  { head, options }: { head: Head; options: LookupOptions },
): Promise<Lookups> {
  const { reads } = sources
  const shared = lookingFor(sources.shared, options)
  const ids = [...references.instances.values()]
  const days = [...references.days]
  const [tokens, tokenFacts, addresses, addressFacts, instances, instanceFacts, prices, ...abis] =
    await Promise.all([
      shared.tokens(references.tokens),
      shared.tokenFacts(references.tokens),
      shared.addresses(references.addresses),
      // A label may mark a token's address as a scam.
      shared.addressFacts(new Set([...references.addresses, ...references.tokens])),
      reads.instanceStates(ids),
      reads.instanceFacts(ids),
      shared.coinPrices(days.length > 0 ? [now, ...days] : []),
      shared.abiEntries(ownAbiKeys(references)),
      shared.signatures(references.selectors),
    ])
  const [ownEntries, wellKnown] = abis
  const runBy = (contract: Address): readonly Address[] =>
    codeRunBy(addresses.get(contract), addressFacts.get(contract))
  const run = [...references.addresses].flatMap(runBy)
  const owners = [...instances.values()].flatMap(({ owner }) => owner ?? [])
  const further = new Set([...owners, ...run])
  for (const address of references.addresses) further.delete(address)
  const [furtherStates, furtherFacts, runEntries] = await Promise.all([
    shared.addresses(further),
    shared.addressFacts(further),
    shared.abiEntries(runAbiKeys(references, runBy)),
  ])
  const runByOwners = new Set(
    owners.flatMap((owner) => codeRunBy(furtherStates.get(owner), furtherFacts.get(owner))),
  )
  for (const asked of [...references.addresses, ...further]) runByOwners.delete(asked)
  const lastFacts = await shared.addressFacts(runByOwners)
  const factsOf = (address: Address): AddressFacts | undefined =>
    addressFacts.get(address) ?? furtherFacts.get(address) ?? lastFacts.get(address)
  return {
    head,
    coinPrice: prices.get(now) ?? null,
    coinPriceOn: (day) => prices.get(day) ?? null,
    token(address) {
      const state = tokens.get(address)
      if (state === undefined) return null
      const facts = tokenFacts.get(address) ?? noTokenFacts
      const isScam = facts.isScam || (addressFacts.get(address)?.isScam ?? false)
      return { state, facts: { ...facts, isScam } }
    },
    address: (address) => ({
      state: addresses.get(address) ?? furtherStates.get(address) ?? null,
      facts: factsOf(address) ?? noAddressFacts,
    }),
    signatures: publishedSignaturesIn({ entries: [ownEntries, runEntries], wellKnown, runBy }),
    instance(token, tokenId) {
      const name = instanceKey({ token, tokenId })
      return {
        state: instances.get(name) ?? null,
        facts: instanceFacts.get(name) ?? noInstanceFacts,
      }
    },
  }
}

/** Whose code a contract runs: that of an account's delegate, else of its implementations. */
function codeRunBy(
  state: Delegating | undefined,
  facts: Pick<AddressFacts, 'implementations'> | undefined,
): readonly Address[] {
  if (state?.delegate) return [state.delegate]
  const stated = (facts?.implementations ?? []).slice(0, implementationsMax)
  return stated.map(({ address }) => address).filter(isAddress)
}

/** Figures are a matter of tokens alone: all else is looked up exactly. */
function lookingFor(shared: SharedRows, options: LookupOptions) {
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

interface Delegating {
  readonly delegate: Address | null
}
