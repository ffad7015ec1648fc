import { cachedRows } from '../../tables/declare/cached-rows.ts'
import { type AnnouncedTable, type Row, sinceHole, table } from '../../tables/declare/table.ts'
import { addressLabels, addressState } from '../../tables/tables/addresses.ts'
import { prices } from '../../tables/tables/prices.ts'
import { tokenMarket, tokenState } from '../../tables/tables/tokens.ts'
import { transactions } from '../../tables/tables/transactions.ts'
import { byKey, type RowsByKey } from '../reading/declared.ts'
import { keyedQuestion, type Question } from '../reading/question.ts'

type RowOfKey<S extends string, R> = Question<readonly S[], ReadonlyMap<S, R>>

/** A question for the one row of each key; keys without a row are missing. */
function rowOfKey<S extends string, R>(
  table: AnnouncedTable,
  { rows, keyOf }: RowsByKey<S, R>,
): RowOfKey<S, R> {
  return keyedQuestion({
    table,
    subjects: (keys: readonly S[]) => keys,
    idOf: (key: S) => key,
    read: async (store, keys): Promise<ReadonlyMap<S, R>> =>
      new Map((await rows(store, keys)).map((row) => [keyOf(row), row])),
  })
}

/** States of addresses; plain accounts have none. */
export const addressStates = rowOfKey(
  addressState,
  byKey({
    file: new URL('./addresses.sql', import.meta.url),
    table: addressState,
    keyOf: (row) => row.address,
    budget: { rowsMax: 128_000, bytesMax: 8_000_000 },
  }),
)

const labels = byKey({
  file: new URL('./address-labels.sql', import.meta.url),
  table: addressLabels,
  keyOf: (row) => row.address,
  budget: { rowsMax: 60_000, bytesMax: 16_000_000 },
})

/** The facts of each kind about addresses, as the shared cache has them. */
export const labelRows = {
  table: addressLabels,
  cached: cachedRows(addressLabels),
  read: labels.groups,
  query: labels.query,
}

const market = byKey({
  file: new URL('./token-market.sql', import.meta.url),
  table: tokenMarket,
  keyOf: (row) => row.token,
  budget: { rowsMax: 60_000, bytesMax: 16_000_000 },
})

/** The facts of each kind about tokens, as the shared cache has them. */
export const marketRows = {
  table: tokenMarket,
  cached: cachedRows(tokenMarket),
  read: market.groups,
  query: market.query,
}

const tokens = byKey({
  file: new URL('./tokens.sql', import.meta.url),
  table: tokenState,
  keyOf: (row) => row.token,
  budget: { rowsMax: 128_000, bytesMax: 8_000_000 },
})

/** As the shared cache has them. */
export const cachedTokens = {
  table: tokenState,
  cached: cachedRows(tokenState),
  read: tokens.groups,
  query: tokens.query,
}

type TokenState = Row<typeof tokenState>

/** States of tokens; addresses that are not tokens are missing. */
export const tokenStates = keyedQuestion({
  table: tokenState,
  subjects: (wanted: readonly TokenState['token'][]) => wanted,
  idOf: (token: TokenState['token']) => token,
  async read(_store, wanted, { knownFrom, subjectRows }) {
    const found = await subjectRows(cachedTokens, wanted)
    return new Map(
      [...found].flatMap(([token, [row]]): [TokenState['token'], TokenState][] =>
        // Also from before the last hole of the log: a token's name does not change.
        row === undefined ? [] : [[token, sinceHole(tokenState, row, knownFrom) ?? row]],
      ),
    )
  },
})

const pricesOfMoments = byKey({
  file: new URL('./prices.sql', import.meta.url),
  table: prices,
  keyOf: (row) => row.moment,
  budget: { rowsMax: 20_000, bytesMax: 2_000_000 },
})

/** As the shared cache has them. */
export const cachedPrices = {
  table: prices,
  cached: cachedRows(prices),
  read: pricesOfMoments.groups,
  query: pricesOfMoments.query,
}

/** Decimal strings by moment: `now`, or a day as YYYY-MM-DD. */
export const coinPrices = keyedQuestion({
  table: prices,
  subjects: (moments: readonly string[]) => moments,
  idOf: (moment: string) => moment,
  async read(_store, moments, { subjectRows }): Promise<ReadonlyMap<string, string>> {
    const found = await subjectRows(cachedPrices, moments)
    return new Map(
      [...found].flatMap(([moment, [row]]) => (row === undefined ? [] : [[moment, row.price]])),
    )
  },
})

export const rowsOfHashes = byKey({
  file: new URL('./transactions.sql', import.meta.url),
  table: transactions,
  keyOf: (row) => row.hash,
  budget: { rowsMax: 64_000, bytesMax: 8_500_000 },
})

/** Those that no canonical block holds are missing. */
export const transactionsByHash = rowOfKey(transactions, rowsOfHashes)

const { input: _, ...columns } = transactions.columns

/** Place of a transaction: its row without the long input. */
const places = table({ ...transactions, columns })

export type TransactionPlace = Row<typeof places>

/** Those that no canonical block holds are missing. */
export const placesOfTransactions = rowOfKey(
  places,
  byKey({
    file: new URL('./transaction-places.sql', import.meta.url),
    table: places,
    keyOf: (row) => row.hash,
    budget: { rowsMax: 64_000, bytesMax: 8_000_000 },
  }),
)
