import { type Hash, withoutPrefix } from '../chain/hex.ts'
import type { Store } from '../ports/store.ts'
import type { Row } from '../tables/declare/table.ts'
import { logsByTransaction as table } from '../tables/tables/logs.ts'
import { firstRowsOfSubjects, range } from './reading/declared.ts'
import { firstPages, firstRows, ofOneTransactionRows } from './reading/first-pages.ts'
import { question } from './reading/question.ts'
import { type ListSource, readList, slackRows, unfiltered } from './reading/read-list.ts'

type Log = Row<typeof table>

const logsOfTransactionInOrder = range({
  file: new URL('./logs-of-transaction.sql', import.meta.url),
  table,
  of: ['transactionHash'],
  after: ['logIndex'],
  isInclusive: true,
  order: 'key',
  budget: { rowsMax: 8_000, bytesMax: 1_000_000 },
})

/** First logs of transactions with few of them. */
const logsOfTransactions = firstRowsOfSubjects({
  file: new URL('./logs-of-transactions.sql', import.meta.url),
  table,
  order: 'key',
  hasLongTexts: true,
  budget: { rowsMax: 300_000, bytesMax: 200_000_000 },
})

export interface LogsOfTransaction {
  readonly hash: Hash
  readonly limit: number
}

/** The first `limit` logs, in their order. */
export const logsOfTransaction = question({
  table,
  subjects: ({ hash }: LogsOfTransaction) => [hash],
  read: readLogs,
  batch: firstPages({
    subjectOf: ({ hash, limit }: LogsOfTransaction) =>
      limit <= ofOneTransactionRows ? hash : null,
    query: logsOfTransactions,
    subjectOfRow: (row) => row.transactionHash,
    lengthOf: ({ data }) => data.length,
    ...firstRows<Log>(table, cursorKey, ofOneTransactionRows + slackRows),
  }),
})

function cursorKey({ logIndex }: Log): string {
  return String(logIndex)
}

function readLogs(store: Store, { hash, limit }: LogsOfTransaction): Promise<readonly Log[]> {
  const source: ListSource<Log> = {
    table,
    cursorKey,
    fetch: (last, rowsMax, bytesMax) => {
      const logIndex = last ? last.logIndex + 1 : 0
      const list = { transactionHash: withoutPrefix(hash), logIndex, rowsMax }
      return logsOfTransactionInOrder.run(store, list, bytesMax)
    },
    fetchRowsMax: 1_000,
  }
  return readList(source, limit, unfiltered)
}
