import type { Address } from '../../../libs/chain/hex.ts'
import type { Standard } from '../../../libs/chain/token.ts'
import type { ListedBalance } from '../../../libs/presenters/balance.ts'
import {
  compareFractions,
  type Fraction,
  fiatOf,
  fractionOf,
} from '../../../libs/presenters/fiat.ts'
import { standardAt } from '../../../libs/presenters/lookups.ts'
import { ratedBalancesOfAddress } from '../../../libs/queries/rated-balances/rated-balances.ts'
import { balancesOfAddress } from '../../../libs/queries/tokens-of-address/tokens-of-address.ts'
import { part } from '../../../libs/tables/balances.ts'
import type { Row } from '../../../libs/tables/table.ts'
import type { tokenState } from '../../../libs/tables/tokens.ts'
import type { Ordering } from '../reader/rate-ordering.ts'
import type { Reader } from './route.ts'

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

/** A balance with a fiat value. */
interface RatedBalance extends ListedBalance {
  readonly fiat: Fraction
}

/**
 * Balances of an address: first those with a fiat value, the greatest first, then the others by
 * amount. A fungible balance of a token with a rate and known decimals has a fiat value; ids of
 * ERC-1155 have none.
 */
export async function balancesInOrder(
  reader: Reader,
  ordering: Ordering,
  { holder, standards, after, limit }: BalancesOptions,
): Promise<readonly ListedBalance[]> {
  const worth = new Worth(reader, ordering)
  const isPastRated = after !== null && !after.isRated
  const rated = isPastRated ? [] : await ratedBalances(worth, { holder, standards, after, limit })
  if (rated.length >= limit) return rated
  const rest = await reader.read(balancesOfAddress, {
    holder,
    standards,
    after: isPastRated ? { value: after.value, ordinal: after.ordinal } : null,
    limit: limit - rated.length,
    listed: async (rows) => {
      const worths = await worth.of(rows.filter(isFungible).map(({ token }) => token))
      return rows.filter((row) => !isFungible(row) || !worths.has(row.token))
    },
  })
  return [...rated, ...rest.map((row) => ({ ...row, fiat: null }))]
}

const isFungible = (row: { readonly part: number }): boolean => row.part === part.fungible

async function ratedBalances(
  worth: Worth,
  { holder, standards, after, limit }: BalancesOptions,
): Promise<readonly RatedBalance[]> {
  const all = await worth.balancesOf(holder)
  const place = after === null ? null : placeIn(all, after)
  return all
    .filter(({ standard }) => standards.includes(standardAt(standard)))
    .filter((balance) => place === null || inOrder(place, balance) < 0)
    .sort(inOrder)
    .slice(0, limit)
}

type Place = Pick<RatedBalance, 'fiat' | 'value' | 'ordinal'>

/** By fiat value, amount and internal id, each the greatest first. */
const inOrder = (one: Place, other: Place): number =>
  compareFractions(other.fiat, one.fiat) ||
  descending(one.value, other.value) ||
  descending(one.ordinal, other.ordinal)

const descending = <T extends bigint | number>(one: T, other: T): number => {
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
  async of(
    tokens: readonly Address[],
  ): Promise<ReadonlyMap<Address, { state: Row<typeof tokenState>; worth: WorthOf }>> {
    const { rates } = this.ordering
    const rated = tokens.filter((token) => rates.has(token))
    if (rated.length === 0) return new Map()
    const [states, facts] = await Promise.all([
      this.reader.tokenStates(rated),
      this.reader.tokenFacts(rated),
    ])
    const found = new Map<Address, { state: Row<typeof tokenState>; worth: WorthOf }>()
    for (const token of rated) {
      const [state, rate] = [states.get(token), rates.get(token)]
      const decimals = facts.get(token)?.decimals ?? state?.decimals ?? null
      // Rows of an older release have no internal id, and so no position in the list.
      if (state === undefined || rate === undefined || state.ordinal === 0) continue
      const one = fiatOf(1n, rate, decimals)
      if (one === null) continue
      const worth = (value: bigint) => ({ digits: value * one.digits, scale: one.scale })
      found.set(token, { state, worth })
    }
    return found
  }

  /** All balances of a holder with a fiat value, unordered. */
  async balancesOf(holder: Address): Promise<readonly Valued[]> {
    const tokens = [...this.ordering.rates.keys()]
    if (tokens.length === 0) return []
    const rows = await this.reader.read(ratedBalancesOfAddress, { holder, tokens })
    const worths = await this.of(rows.map(({ token }) => token))
    return rows.flatMap((row): Valued[] => {
      const lookups = worths.get(row.token)
      if (lookups === undefined) return []
      const { standard, ordinal } = lookups.state
      const { token, tokenId, value } = row
      const { worth } = lookups
      const listed = { token, tokenId, value, standard, ordinal, part: row.part }
      return [{ ...listed, fiat: worth(value), worth }]
    })
  }
}
