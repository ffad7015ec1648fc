import type { Address } from '../chain/hex.ts'
import { type Standard, standards as standardList } from '../chain/token.ts'
import type { Store } from '../ports/store.ts'
import { balancesByValue as table } from '../tables/balances-by-value.ts'
import type { Row } from '../tables/table.ts'
import { ascending, bare, uint64Last, uint256Last, within64 } from './parameters.ts'
import { query } from './query.ts'
import { asRead, type Reading, read } from './reading.ts'

type Balance = Row<typeof table>

const budget = { rowsMax: 8_000, bytesMax: 500_000 }
export const tokensOfAddress = query({
  file: new URL('./tokens-of-address.sql', import.meta.url),
  table,
  budget,
})
/** Reads what it steps over: the budget is that of 100,000 tombstones. */
export const tokensOfAddressSkipping = query({
  file: new URL('./tokens-of-address-skipping.sql', import.meta.url),
  table,
  budget: { rowsMax: 150_000, bytesMax: 4_000_000 },
})
export const tokensOfAddressVersions = query({
  file: new URL('./tokens-of-address-versions.sql', import.meta.url),
  table,
  budget: { rowsMax: 64_000, bytesMax: 4_000_000 },
})

export interface BalancesOfAddress {
  readonly holder: Address
  readonly standards: readonly Standard[]
  readonly after: { readonly value: bigint; readonly ordinal: number } | null
  readonly limit: number
  /** Position of the log's last hole: what was written before it is forgotten. */
  readonly knownFrom?: number
  /** Those of some rows that belong into the list; all by default. */
  readonly listed?: (rows: readonly Balance[]) => Promise<readonly Balance[]>
}

/** Value descending, then ordinal descending, of all these standards together. */
export async function balancesOfAddress(
  store: Store,
  { holder, standards, after, limit, knownFrom = 0, listed = asRead }: BalancesOfAddress,
): Promise<Balance[]> {
  const lists = await Promise.all(
    standards.map((standard) => {
      const list = { holder: bare(holder), standard: standardList.indexOf(standard), knownFrom }
      return read(readingOf(store, list, after), limit, listed)
    }),
  )
  return lists.flat().sort(greatestFirst).slice(0, limit)
}

function readingOf(
  store: Store,
  list: { holder: string; standard: number; knownFrom: number },
  after: BalancesOfAddress['after'],
): Reading<Balance> {
  const parameters = (last: Balance | null, rowsMax: number) => {
    const place = last ?? after ?? { value: uint256Last, ordinal: uint64Last }
    return { ...list, value: place.value, ordinal: within64(place.ordinal), rowsMax }
  }
  return {
    table,
    placeOf: (row) => `${row.value}|${row.ordinal}`,
    fetch: (last, rowsMax) => tokensOfAddress.ask(store, parameters(last, rowsMax)),
    // Endpoint 3 in one fetch.
    fetchRowsMax: 16_384,
    skipping: {
      fetch: (last, rowsMax) => tokensOfAddressSkipping.ask(store, parameters(last, rowsMax)),
      versionsOf: (rows) =>
        tokensOfAddressVersions.ask(store, {
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
