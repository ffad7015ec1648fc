import type { Address, Hash } from '../../chain/hex.ts'
import { cachedRows } from '../../tables/declare/cached-rows.ts'
import { type Row, sinceHole, table } from '../../tables/declare/table.ts'
import { addressLabels, addressState } from '../../tables/tables/addresses.ts'
import { prices } from '../../tables/tables/prices.ts'
import { tokenMarket, tokenState } from '../../tables/tables/tokens.ts'
import { transactions } from '../../tables/tables/transactions.ts'
import { addressKeys, byKey, hashKeys, textKeys } from '../reading/declared.ts'
import { keyedQuestion } from '../reading/question.ts'

const addresses = byKey({
  file: new URL('./addresses.sql', import.meta.url),
  table: addressState,
  column: 'address',
  kind: addressKeys,
  keyOf: (row) => row.address,
  budget: { rowsMax: 128_000, bytesMax: 8_000_000 },
})

/** States of these addresses; plain accounts have none and are missing. */
export const addressStates = keyedQuestion({
  table: addressState,
  subjects: (wanted: readonly Address[]) => wanted,
  idOf: (address: Address) => address,
  async read(store, wanted): Promise<ReadonlyMap<Address, Row<typeof addressState>>> {
    const rows = await addresses.rows(store, wanted)
    return new Map(rows.map((row) => [row.address, row]))
  },
})

const labels = byKey({
  file: new URL('./address-labels.sql', import.meta.url),
  table: addressLabels,
  column: 'address',
  kind: addressKeys,
  keyOf: (row) => row.address,
  budget: { rowsMax: 60_000, bytesMax: 16_000_000 },
})

/** The facts of each kind about addresses. */
export const labelRows = {
  table: addressLabels,
  cached: cachedRows(addressLabels),
  read: labels.groups,
  query: labels.query,
}

const market = byKey({
  file: new URL('./token-market.sql', import.meta.url),
  table: tokenMarket,
  column: 'token',
  kind: addressKeys,
  keyOf: (row) => row.token,
  budget: { rowsMax: 60_000, bytesMax: 16_000_000 },
})

/** The facts of each kind about tokens. */
export const marketRows = {
  table: tokenMarket,
  cached: cachedRows(tokenMarket),
  read: market.groups,
  query: market.query,
}

const tokens = byKey({
  file: new URL('./tokens.sql', import.meta.url),
  table: tokenState,
  column: 'token',
  kind: addressKeys,
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

/** States of these tokens; addresses that are not tokens are missing. */
export const tokenStates = keyedQuestion({
  table: tokenState,
  subjects: (wanted: readonly Address[]) => wanted,
  idOf: (token: Address) => token,
  async read(
    _store,
    wanted,
    { knownFrom, subjectRows },
  ): Promise<ReadonlyMap<Address, Row<typeof tokenState>>> {
    const found = await subjectRows(cachedTokens, wanted)
    return new Map(
      [...found].flatMap(([token, [row]]) =>
        // Also from before the last hole of the log: a token's name does not change.
        row === undefined ? [] : [[token, sinceHole(tokenState, row, knownFrom) ?? row] as const],
      ),
    )
  },
})

const pricesOfMoments = byKey({
  file: new URL('./prices.sql', import.meta.url),
  table: prices,
  column: 'moment',
  kind: textKeys,
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

const wholeTransactions = byKey({
  file: new URL('./transactions.sql', import.meta.url),
  table: transactions,
  column: 'hash',
  kind: hashKeys,
  keyOf: (row) => row.hash,
  isPrewhere: true,
  budget: { rowsMax: 64_000, bytesMax: 8_500_000 },
})

/** Those that no canonical block holds are missing. */
export const transactionsByHash = keyedQuestion({
  table: transactions,
  subjects: (hashes: readonly Hash[]) => hashes,
  idOf: (hash: Hash) => hash,
  async read(store, hashes): Promise<ReadonlyMap<Hash, Row<typeof transactions>>> {
    const rows = await wholeTransactions.rows(store, hashes)
    return new Map(rows.map((row) => [row.hash, row]))
  },
})

const { input: _, ...columns } = transactions.columns

/** Place of a transaction: its row without the long input. */
const places = table({ ...transactions, columns })

export type TransactionPlace = Row<typeof places>

const transactionPlaces = byKey({
  file: new URL('./transaction-places.sql', import.meta.url),
  table: places,
  column: 'hash',
  kind: hashKeys,
  keyOf: (row) => row.hash,
  isPrewhere: true,
  budget: { rowsMax: 64_000, bytesMax: 8_000_000 },
})

/** Those that no canonical block holds are missing. */
export const placesOfTransactions = keyedQuestion({
  table: places,
  subjects: (hashes: readonly Hash[]) => hashes,
  idOf: (hash: Hash) => hash,
  async read(store, hashes): Promise<ReadonlyMap<Hash, TransactionPlace>> {
    const rows = await transactionPlaces.rows(store, hashes)
    return new Map(rows.map((row) => [row.hash, row]))
  },
})
