import { type Hash, withoutPrefix } from '../../chain/hex.ts'
import { type Row, table } from '../../tables/declare/table.ts'
import { transactions } from '../../tables/tables/transactions.ts'
import { query } from '../query.ts'
import { keyedQuestion } from '../question.ts'
import { readByKeys } from '../read-by-keys.ts'

const transactionsQuery = query({
  file: new URL('./transactions.sql', import.meta.url),
  table: transactions,
  budget: { rowsMax: 64_000, bytesMax: 8_500_000 },
})

/** Those that no canonical block holds are missing. */
export const transactionsByHash = keyedQuestion({
  table: transactions,
  subjects: (hashes: readonly Hash[]) => hashes,
  idOf: (hash: Hash) => hash,
  async read(store, hashes): Promise<ReadonlyMap<Hash, Row<typeof transactions>>> {
    const parametersOf = (keys: readonly Hash[]) => ({ hashes: keys.map(withoutPrefix) })
    const options = { query: transactionsQuery, table: transactions, parametersOf }
    const rows = await readByKeys(store, options, hashes)
    return new Map(rows.map((row) => [row.hash, row]))
  },
})

const { input: _, ...columns } = transactions.columns

/** Place of a transaction: its row without the long input. */
const places = table({ ...transactions, columns })

export type TransactionPlace = Row<typeof places>

const transactionPlaces = query({
  file: new URL('./transaction-places.sql', import.meta.url),
  table: places,
  budget: { rowsMax: 64_000, bytesMax: 8_000_000 },
})

/** Those that no canonical block holds are missing. */
export const placesOfTransactions = keyedQuestion({
  table: places,
  subjects: (hashes: readonly Hash[]) => hashes,
  idOf: (hash: Hash) => hash,
  async read(store, hashes): Promise<ReadonlyMap<Hash, TransactionPlace>> {
    const parametersOf = (keys: readonly Hash[]) => ({ hashes: keys.map(withoutPrefix) })
    const options = { query: transactionPlaces, table: places, parametersOf }
    const rows = await readByKeys(store, options, hashes)
    return new Map(rows.map((row) => [row.hash, row]))
  },
})
