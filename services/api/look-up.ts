import type { Address } from '../../libs/chain/hex.ts'
import {
  type AddressFacts,
  noAddressFacts,
  noInstanceFacts,
  noTokenFacts,
  type TokenFacts,
} from '../../libs/presenters/facts.ts'
import type { Head, Known } from '../../libs/presenters/known.ts'
import { instanceKey } from '../../libs/queries/instances.ts'
import type { addressState } from '../../libs/tables/address-state.ts'
import type { Row } from '../../libs/tables/table.ts'
import type { tokenState } from '../../libs/tables/token-state.ts'
import type { Asks } from './asks.ts'
import type { Needs } from './needs.ts'
import type { Looking } from './remembered.ts'

type Look<K, R> = (subjects: Iterable<K>, looking: Looking) => Promise<ReadonlyMap<K, R>>

/** Rows that many pages share; remembered between requests. */
export interface Shared {
  readonly tokens: Look<Address, Row<typeof tokenState>>
  readonly tokenFacts: Look<Address, TokenFacts>
  readonly addresses: Look<Address, Row<typeof addressState>>
  readonly addressFacts: Look<Address, AddressFacts>
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
  const [tokens, tokenFacts, addresses, addressFacts, instances, instanceFacts, prices] =
    await Promise.all([
      shared.tokens(needs.tokens),
      shared.tokenFacts(needs.tokens),
      shared.addresses(needs.addresses),
      shared.addressFacts(needs.addresses),
      asks.instanceStates(ids),
      asks.instanceFacts(ids),
      shared.coinPrices(days.length > 0 ? [now, ...days] : []),
    ])
  const further = furtherAddresses(needs, instances.values(), addresses.values())
  const [furtherStates, furtherFacts] = await Promise.all([
    shared.addresses(further),
    shared.addressFacts(further),
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
    instance(token, tokenId) {
      const name = instanceKey({ token, tokenId })
      return {
        state: instances.get(name) ?? null,
        facts: instanceFacts.get(name) ?? noInstanceFacts,
      }
    },
  }
}

/** Figures are a matter of tokens alone: all else is looked up exactly. */
function lookingFor(shared: Shared, looking: Looking) {
  const exactly: Looking = { ...looking, figures: 'exact' }
  return {
    tokens: (subjects: Iterable<Address>) => shared.tokens(subjects, looking),
    tokenFacts: (subjects: Iterable<Address>) => shared.tokenFacts(subjects, looking),
    addresses: (subjects: Iterable<Address>) => shared.addresses(subjects, exactly),
    addressFacts: (subjects: Iterable<Address>) => shared.addressFacts(subjects, exactly),
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
