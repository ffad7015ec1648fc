import type { AbiEntry } from '../../libs/chain/abi-entry.ts'
import { type Address, type Hex, isAddress } from '../../libs/chain/hex.ts'
import {
  type AddressFacts,
  noAddressFacts,
  noInstanceFacts,
  noTokenFacts,
  type TokenFacts,
} from '../../libs/presenters/facts.ts'
import type { Head, Known } from '../../libs/presenters/known.ts'
import type { AbiKey } from '../../libs/queries/contract-abis.ts'
import { instanceKey } from '../../libs/queries/instances.ts'
import type { addressState } from '../../libs/tables/address-state.ts'
import type { Row } from '../../libs/tables/table.ts'
import type { tokenState } from '../../libs/tables/token-state.ts'
import type { Asks } from './asks.ts'
import { ownAbiKeys, runAbiKeys, saidIn } from './look-up-signatures.ts'
import type { Needs } from './needs.ts'
import type { Looking } from './remembered.ts'

type Look<K, R> = (subjects: Iterable<K>, looking: Looking) => Promise<ReadonlyMap<K, R>>

/** Rows that many pages share; remembered between requests. */
export interface Shared {
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
 * Looks up all that the rows of a page name, in three waves: owners of instances and delegates of
 * accounts are known only after the first, delegates of owners after the second.
 */
export async function lookUp(
  needs: Needs,
  sources: { asks: Pick<Asks, 'instanceStates' | 'instanceFacts'>; shared: Shared },
  { head, looking }: { head: Head; looking: Looking },
): Promise<Known> {
  const { asks } = sources
  const shared = lookingFor(sources.shared, looking)
  const ids = [...needs.instances.values()]
  const days = [...needs.days]
  const [tokens, tokenFacts, addresses, addressFacts, instances, instanceFacts, prices, ...abis] =
    await Promise.all([
      shared.tokens(needs.tokens),
      shared.tokenFacts(needs.tokens),
      shared.addresses(needs.addresses),
      shared.addressFacts(needs.addresses),
      asks.instanceStates(ids),
      asks.instanceFacts(ids),
      shared.coinPrices(days.length > 0 ? [now, ...days] : []),
      shared.abiEntries(ownAbiKeys(needs)),
      shared.signatures(needs.selectors),
    ])
  const [ownEntries, wellKnown] = abis
  const runBy = (contract: Address): readonly Address[] =>
    codeRunBy(addresses.get(contract), addressFacts.get(contract))
  const further = furtherAddresses(needs, instances.values(), addresses.values())
  const [furtherStates, furtherFacts, runEntries] = await Promise.all([
    shared.addresses(further),
    shared.addressFacts(further),
    shared.abiEntries(runAbiKeys(needs, runBy)),
  ])
  const delegates = delegatesOf(furtherStates.values())
  for (const asked of [...needs.addresses, ...further]) delegates.delete(asked)
  const delegateFacts = await shared.addressFacts(delegates)
  const factsOf = (address: Address): AddressFacts | undefined =>
    addressFacts.get(address) ?? furtherFacts.get(address) ?? delegateFacts.get(address)
  return {
    head,
    coinPrice: prices.get(now) ?? null,
    coinPriceOn: (day) => prices.get(day) ?? null,
    token(address) {
      const state = tokens.get(address)
      return state ? { state, facts: tokenFacts.get(address) ?? noTokenFacts } : null
    },
    address: (address) => ({
      state: addresses.get(address) ?? furtherStates.get(address) ?? null,
      facts: factsOf(address) ?? noAddressFacts,
    }),
    signatures: saidIn({ entries: [ownEntries, runEntries], wellKnown, runBy }),
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
  return (facts?.implementations ?? []).map(({ address }) => address).filter(isAddress)
}

/** Figures are a matter of tokens alone: all else is looked up exactly. */
function lookingFor(shared: Shared, looking: Looking) {
  const exactly: Looking = { ...looking, figures: 'exact' }
  return {
    tokens: (subjects: Iterable<Address>) => shared.tokens(subjects, looking),
    tokenFacts: (subjects: Iterable<Address>) => shared.tokenFacts(subjects, looking),
    addresses: (subjects: Iterable<Address>) => shared.addresses(subjects, exactly),
    addressFacts: (subjects: Iterable<Address>) => shared.addressFacts(subjects, exactly),
    abiEntries: (keys: Iterable<AbiKey>) => shared.abiEntries(keys, exactly),
    signatures: (selectors: Iterable<Hex>) => shared.signatures(selectors, exactly),
    coinPrices: (moments: Iterable<string>) => shared.coinPrices(moments, exactly),
  }
}

/** Owners of instances and delegates of accounts that the first wave did not ask for. */
function furtherAddresses(
  needs: Needs,
  instances: Iterable<{ readonly owner: Address | null }>,
  addresses: Iterable<Delegating>,
): ReadonlySet<Address> {
  const further = delegatesOf(addresses)
  for (const { owner } of instances) if (owner !== null) further.add(owner)
  for (const address of needs.addresses) further.delete(address)
  return further
}

interface Delegating {
  readonly delegate: Address | null
}

function delegatesOf(addresses: Iterable<Delegating>): Set<Address> {
  const delegates = new Set<Address>()
  for (const { delegate } of addresses) if (delegate !== null) delegates.add(delegate)
  return delegates
}
