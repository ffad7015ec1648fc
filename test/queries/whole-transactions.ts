import type { Store } from '../../libs/ports/store.ts'
import type { Row } from '../../libs/tables/declare/table.ts'
import {
  transactions,
  transactionsByAddress,
  transactionsByFee,
  transactionsByValue,
  withoutLongTexts,
} from '../../libs/tables/tables/transactions.ts'
import { insertShuffled } from './histories.ts'
import type { Random } from './random.ts'

/** A row of a list before its long texts are left out. */
export type WholeTransaction = Row<typeof transactionsByAddress> & Row<typeof transactions>

interface Inserted {
  readonly parts: number
  readonly random: Random
  /** Those that the table by hash has; by default all. */
  readonly byHash?: readonly WholeTransaction[]
}

/** Rows in all tables of transactions. What they pay is their price of gas. */
export async function insertTransactions(
  store: Store,
  rows: readonly WholeTransaction[],
  { byHash = rows, ...options }: Inserted,
): Promise<void> {
  const listed = rows.map(withoutLongTexts)
  const amounts = rows.map((row) => ({ ...row, fee: row.gasPrice }))
  await insertShuffled(store, transactionsByAddress, { rows: listed, ...options })
  await insertShuffled(store, transactionsByValue, { rows: amounts, ...options })
  await insertShuffled(store, transactionsByFee, { rows: amounts, ...options })
  await insertShuffled(store, transactions, { rows: [...byHash], ...options })
}
