import { type Hash, withoutPrefix } from '../../chain/hex.ts'
import type { Row } from '../../tables/table.ts'
import { transactions as table } from '../../tables/transactions.ts'
import { query } from '../query.ts'
import { question } from '../question.ts'
import { readByKeys } from '../read-by-keys.ts'

export const transactionsQuery = query({
  file: new URL('./transactions.sql', import.meta.url),
  table,
  budget: { rowsMax: 64_000, bytesMax: 8_000_000 },
})

/** Those that no canonical block holds are missing. */
export const transactionsByHash = question({
  table,
  subjects: (hashes: readonly Hash[]) => hashes,
  async read(store, hashes): Promise<ReadonlyMap<Hash, Row<typeof table>>> {
    const parametersOf = (keys: readonly Hash[]) => ({ hashes: keys.map(withoutPrefix) })
    const rows = await readByKeys(store, { query: transactionsQuery, table, parametersOf }, hashes)
    return new Map(rows.map((row) => [row.hash, row]))
  },
})
