import { type Address, withoutPrefix } from '../../chain/hex.ts'
import { type Standard, standards as standardList } from '../../chain/token.ts'
import type { Store } from '../../ports/store.ts'
import type { Row } from '../../tables/declare/table.ts'
import { balancesByValue as table } from '../../tables/tables/balances.ts'
import { range } from '../reading/declared.ts'
import { ascending, clampUint64, uint64Max, uint256Max } from '../reading/parameters.ts'
import { query } from '../reading/query.ts'
import { question } from '../reading/question.ts'
import { type ListSource, readList, unfiltered } from '../reading/read-list.ts'
import { hiddenTokens, type TokensInDoubt } from '../tokens-in-doubt.ts'

type Balance = Row<typeof table>

const budget = { rowsMax: 8_000, bytesMax: 500_000 }
/** One standard at a time: only then value and ordinal are in key order. */
const tokensOfAddress = range({
  file: new URL('./tokens-of-address.sql', import.meta.url),
  table,
  of: ['holder', 'standard'],
  after: ['value', 'ordinal'],
  order: 'key',
  budget,
})
/** Reads the rows that it skips: the budget is that of 100,000 tombstones. */
const tokensOfAddressSkipping = query({
  file: new URL('./tokens-of-address-skipping.sql', import.meta.url),
  table,
  budget: { rowsMax: 150_000, bytesMax: 4_000_000 },
})
/** Reads the rows that the one above steps over. */
const tokensOfAddressTokens = query({
  file: new URL('./tokens-of-address-tokens.sql', import.meta.url),
  table,
  budget: { rowsMax: 150_000, bytesMax: 12_000_000 },
})
const tokensOfAddressVersions = query({
  file: new URL('./tokens-of-address-versions.sql', import.meta.url),
  table,
  budget: { rowsMax: 64_000, bytesMax: 4_000_000 },
})

export interface BalancesOfAddress {
  readonly holder: Address
  readonly standards: readonly Standard[]
  readonly after: { readonly value: bigint; readonly ordinal: number } | null
  readonly limit: number
  /** Filters rows that belong in the list; all by default. */
  readonly listed?: (rows: readonly Balance[]) => Promise<readonly Balance[]>
  readonly inDoubt?: TokensInDoubt
}

/** Value descending, then ordinal descending, of all these standards together. */
export const balancesOfAddress = question({
  table,
  subjects: ({ holder }: BalancesOfAddress) => [holder],
  async read(store, options, { knownFrom }): Promise<readonly Balance[]> {
    const { holder, standards, after, limit, listed = unfiltered, inDoubt } = options
    const lists = await Promise.all(
      standards.map((standard) => {
        const list = {
          holder: withoutPrefix(holder),
          standard: standardList.indexOf(standard),
          knownFrom,
        }
        return readList(sourceOf(store, list, { after, inDoubt }), limit, listed)
      }),
    )
    return lists.flat().sort(greatestFirst).slice(0, limit)
  },
})

function sourceOf(
  store: Store,
  list: { holder: string; standard: number; knownFrom: number },
  { after, inDoubt }: Pick<BalancesOfAddress, 'after' | 'inDoubt'>,
): ListSource<Balance> {
  const parameters = (last: Balance | null, rowsMax: number) => {
    const place = last ?? after ?? { value: uint256Max, ordinal: uint64Max }
    return { ...list, value: place.value, ordinal: clampUint64(place.ordinal), rowsMax }
  }
  const hidden = hiddenTokens(inDoubt, (last: Balance | null, tokensMax, limits) =>
    tokensOfAddressTokens.run(store, parameters(last, tokensMax), limits),
  )
  return {
    table,
    cursorKey: (row) => `${row.value}|${row.ordinal}`,
    fetch: (last, rowsMax) => tokensOfAddress.run(store, parameters(last, rowsMax)),
    // Endpoint 3 in one fetch.
    fetchRowsMax: 16_384,
    skipping: {
      async fetch(last, rowsMax) {
        const skipped = { ...parameters(last, rowsMax), hidden: await hidden(last) }
        return tokensOfAddressSkipping.run(store, skipped)
      },
      versionsOf: (rows) =>
        tokensOfAddressVersions.run(store, {
          ...list,
          values: rows.map(({ value }) => value),
          ordinals: rows.map(({ ordinal }) => ordinal),
        }),
      fetchRowsMax: 1_000,
    },
  }
}

const greatestFirst = (one: Balance, other: Balance) =>
  ascending(other.value, one.value) || ascending(other.ordinal, one.ordinal)
