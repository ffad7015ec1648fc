import type { Address } from '../../../libs/chain/hex.ts'
import type { Standard } from '../../../libs/chain/token.ts'
import { type Fraction, fiatOf, fractionOf, orderOf } from '../../../libs/presenters/fiat.ts'
import { standardAt } from '../../../libs/presenters/lookups.ts'
import type { ListedBalance } from '../../../libs/presenters/objects/balance.ts'
import { ratedBalancesOfAddress } from '../../../libs/queries/rated-balances/rated-balances.ts'
import { allBalancesOfAddress } from '../../../libs/queries/tokens-of-address/all-balances-of-address.ts'
import { balancesOfAddress } from '../../../libs/queries/tokens-of-address/tokens-of-address.ts'
import type { Row } from '../../../libs/tables/declare/table.ts'
import { type balances, type balancesByValue, part } from '../../../libs/tables/tables/balances.ts'
import type { Ordering } from '../rows/rate-ordering.ts'
import type { Reader } from './pipeline/steps.ts'
import { firstShown, shownInList } from './shown-rows.ts'

export interface BalancePlace {
  readonly value: bigint
  readonly ordinal: number
  /** Of the hour whose rates order the list; 0: it is ordered by value alone. */
  readonly mark: number
  readonly isRated: boolean
  /** As `fractionText` writes it; null where the balance has none, or a client left it out. */
  readonly fiat: string | null
}

interface BalancesOptions {
  readonly holder: Address
  readonly standards: readonly Standard[]
  readonly after: BalancePlace | null
  readonly limit: number
}

type StoredBalance = Row<typeof balances>
type StoredBalanceByValue = Row<typeof balancesByValue>

/** A balance with a fiat value. */
interface RatedBalance extends ListedBalance {
  readonly fiat: Fraction
}

/**
 * Balances of an address: first those with a fiat value, the greatest first, then the others by
 * amount. A fungible balance of a token with a rate and known decimals has a fiat value; ids of
 * ERC-1155 have none. All are read at once where they are few; else a page of the list by amount,
 * and those in tokens with a rate.
 */
export async function balancesInOrder(
  reader: Reader,
  ordering: Ordering,
  options: BalancesOptions,
): Promise<readonly ListedBalance[]> {
  const worth = new Worth(reader, ordering)
  const all = await reader.read(allBalancesOfAddress, { holder: options.holder })
  if (all === null) return ofMany(reader, worth, options)
  const { standards, after, limit } = options
  const rated = await worth.ofAll(all)
  const isRated = new Set<unknown>(rated.map(({ row }) => row))
  const isPastRated = after !== null && !after.isRated
  const rest = all
    .filter((row) => !isRated.has(row) && standards.includes(standardAt(row.standard)))
    .filter((row) => !isPastRated || byAmount(after, row) < 0)
    .map((row) => ({ ...row, fiat: null }))
    .sort((one, other) => byAmount(one, other) || byKey(one, other))
  const first = isPastRated ? [] : ratedAfter(rated, options)
  return firstShown(reader, [...first, ...rest], limit)
}

async function ofMany(
  reader: Reader,
  worth: Worth,
  { holder, standards, after, limit }: BalancesOptions,
): Promise<readonly ListedBalance[]> {
  const isPastRated = after !== null && !after.isRated
  const all = isPastRated ? [] : await worth.balancesOf(holder)
  const rated = await firstShown(reader, ratedAfter(all, { standards, after }), limit)
  if (rated.length >= limit) return rated
  const { listed, inDoubt } = shownInList<StoredBalanceByValue>(reader)
  const rest = await reader.read(balancesOfAddress, {
    holder,
    standards,
    after: isPastRated ? { value: after.value, ordinal: after.ordinal } : null,
    limit: limit - rated.length,
    listed: async (rows) => {
      const worths = await worth.of(rows.filter(isFungible).map(({ token }) => token))
      return listed(rows.filter((row) => !isFungible(row) || !worths.has(row.token)))
    },
    inDoubt,
  })
  return [...rated, ...rest.map((row) => ({ ...row, fiat: null }))]
}

const isFungible = (row: { readonly part: number }): boolean => row.part === part.fungible

function ratedAfter(
  all: readonly Valued[],
  { standards, after }: Pick<BalancesOptions, 'standards' | 'after'>,
): readonly RatedBalance[] {
  const place = after === null ? null : placeIn(all, after)
  const scaleMax = all.reduce((most, { fiat }) => Math.max(most, fiat.scale), 0)
  // Once for each, not in each comparison: an address may have thousands of rated balances.
  const withOrder = <B extends Place>(balance: B) => ({
    balance,
    order: orderOf(balance.fiat, scaleMax),
  })
  const start = place === null ? null : withOrder(place)
  return all
    .filter(({ standard }) => standards.includes(standardAt(standard)))
    .map(withOrder)
    .filter((one) => start === null || inOrder(start, one) < 0)
    .sort(inOrder)
    .map(({ balance }) => balance)
}

type Place = Pick<RatedBalance, 'fiat' | 'value' | 'ordinal'>

interface Ordered {
  readonly balance: Omit<Place, 'fiat'>
  /** Of its fiat value. */
  readonly order: bigint
}

/** By fiat value, amount and internal id, each the greatest first. */
const inOrder = (one: Ordered, other: Ordered): number =>
  descending(one.order, other.order) || byAmount(one.balance, other.balance)

const byAmount = (one: Omit<Place, 'fiat'>, other: Omit<Place, 'fiat'>): number =>
  descending(one.value, other.value) || descending(one.ordinal, other.ordinal)

/** As in the key of the table by value. */
const byKey = (one: ListedBalance, other: ListedBalance): number =>
  one.standard - other.standard ||
  descending(other.token, one.token) ||
  one.part - other.part ||
  descending(other.tokenId, one.tokenId)

const descending = <T extends bigint | number | string>(one: T, other: T): number => {
  if (one === other) return 0
  return one > other ? -1 : 1
}

/**
 * Clients may omit the fiat value: then it is computed from the current balance. Null if the
 * address no longer holds the token: the cursor has no position in the list.
 */
function placeIn(all: readonly Valued[], after: BalancePlace): Place | null {
  const { value, ordinal } = after
  const sent = after.fiat === null ? null : fractionOf(after.fiat)
  if (sent !== null) return { value, ordinal, fiat: sent }
  const same = all.find((balance) => balance.ordinal === ordinal)
  const fiat = same?.worth(value) ?? null
  return fiat === null ? null : { value, ordinal, fiat }
}

type WorthOf = (value: bigint) => Fraction

interface Valued extends RatedBalance {
  readonly row: StoredBalance
  readonly worth: WorthOf
}

/** Fiat values of token amounts by the rates of an ordering. */
class Worth {
  private readonly reader: Reader
  private readonly ordering: Ordering

  constructor(reader: Reader, ordering: Ordering) {
    this.reader = reader
    this.ordering = ordering
  }

  /** Tokens with a fiat value. */
  async of(tokens: readonly Address[]): Promise<ReadonlyMap<Address, WorthOf>> {
    const { rates } = this.ordering
    const rated = tokens.filter((token) => rates.has(token))
    if (rated.length === 0) return new Map()
    const [states, facts] = await Promise.all([
      this.reader.tokenStates(rated),
      this.reader.tokenFacts(rated),
    ])
    const found = new Map<Address, WorthOf>()
    for (const token of rated) {
      const [state, rate] = [states.get(token), rates.get(token)]
      const decimals = facts.get(token)?.decimals ?? state?.decimals ?? null
      if (rate === undefined) continue
      const one = fiatOf(1n, rate, decimals)
      if (one === null) continue
      found.set(token, (value) => ({ digits: value * one.digits, scale: one.scale }))
    }
    return found
  }

  /** All balances of a holder with a fiat value, unordered. */
  async balancesOf(holder: Address): Promise<readonly Valued[]> {
    const tokens = [...this.ordering.rates.keys()]
    if (tokens.length === 0) return []
    return this.ofAll(await this.reader.read(ratedBalancesOfAddress, { holder, tokens }))
  }

  /** Those of these balances with a fiat value, unordered. */
  async ofAll(rows: readonly StoredBalance[]): Promise<readonly Valued[]> {
    const fungible = rows.filter(isFungible)
    const worths = await this.of(fungible.map(({ token }) => token))
    return fungible.flatMap((row): Valued[] => {
      const worth = worths.get(row.token)
      return worth === undefined ? [] : [{ ...row, row, fiat: worth(row.value), worth }]
    })
  }
}
