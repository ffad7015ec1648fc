import type { Row } from '../tables/table.ts'
import type { transactions } from '../tables/transactions.ts'

/** A transaction, whichever of its tables it was read from. */
export type TransactionRow = Row<typeof transactions>
