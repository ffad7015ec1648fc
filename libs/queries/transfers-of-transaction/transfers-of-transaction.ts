import type { Hash } from '../../chain/hex.ts'
import type { Store } from '../../ports/store.ts'
import type { Row } from '../../tables/table.ts'
import { transfersByTransaction as table } from '../../tables/transfers.ts'
import { uint32Max } from '../parameters.ts'
import { query } from '../query.ts'
import { question } from '../question.ts'
import {
  currentRows,
  type ListSource,
  readList,
  slackRows,
  unfiltered,
  withoutLastGroup,
} from '../read-list.ts'
import { resultBytesMax } from '../result-size.ts'
import {
  ofStandards,
  placeParameters,
  type StandardFilter,
  type TransferPlace,
  transfersOfStandards,
} from './transfers-of-standards.ts'

type Transfer = Row<typeof table>

export const transfersOfTransactionInOrder = query({
  file: new URL('./transfers-of-transaction.sql', import.meta.url),
  table,
  budget: { rowsMax: 8_000, bytesMax: 1_000_000 },
})

export interface TransfersOfTransaction {
  readonly hash: Hash
  /** Null for all transfers. */
  readonly filter: StandardFilter | null
  readonly after: TransferPlace | null
  readonly limit: number
}

const start: TransferPlace = { logIndex: 0, batchIndex: uint32Max }

/** Logs ascending, inside a batch descending. */
export const transfersOfTransaction = question({
  table,
  subjects: ({ hash }: TransfersOfTransaction) => [hash],
  read: readTransfers,
})

async function readTransfers(
  store: Store,
  { hash, filter, after, limit }: TransfersOfTransaction,
): Promise<readonly Transfer[]> {
  const source: ListSource<Transfer> = {
    table,
    cursorKey: (row) => `${row.logIndex}|${row.batchIndex}`,
    fetch: (last, rowsMax) => {
      const place = placeParameters(hash, last ?? after ?? start)
      return transfersOfTransactionInOrder.run(store, { ...place, rowsMax })
    },
    fetchRowsMax: 4_096,
  }
  if (filter === null) return readList(source, limit, unfiltered)
  const rowsMax = limit + slackRows
  const fetched = await source.fetch(null, rowsMax, resultBytesMax)
  const isLast = fetched.length < rowsMax
  const rows = isLast ? fetched : withoutLastGroup(fetched, source.cursorKey)
  const found = await ofStandards(currentRows(table, rows, rows), filter)
  if (isLast || found.length >= limit) return found.slice(0, limit)
  const rest = { filter, after: rows.at(-1) ?? after ?? start, limit: limit - found.length }
  return [...found, ...(await transfersOfStandards(store, hash, rest))]
}
