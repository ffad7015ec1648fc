import type { Hash } from '../chain/hex.ts'
import type { Store } from '../ports/store.ts'
import type { Row } from '../tables/table.ts'
import { transfersByTransaction as table } from '../tables/transfers-by-transaction.ts'
import { uint32Last } from './parameters.ts'
import { query } from './query.ts'
import { alive, asRead, type Reading, read, slackRows, withoutLastPlace } from './reading.ts'
import { resultBytesMax } from './result-size.ts'
import {
  ofStandards,
  placed,
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

const start: TransferPlace = { logIndex: 0, batchIndex: uint32Last }

/** Logs ascending, inside a batch descending. */
export async function transfersOfTransaction(
  store: Store,
  { hash, filter, after, limit }: TransfersOfTransaction,
): Promise<Transfer[]> {
  const reading: Reading<Transfer> = {
    table,
    placeOf: (row) => `${row.logIndex}|${row.batchIndex}`,
    fetch: (last, rowsMax) => {
      const place = placed(hash, last ?? after ?? start)
      return transfersOfTransactionInOrder.ask(store, { ...place, rowsMax })
    },
    fetchRowsMax: 4_096,
  }
  if (filter === null) return read(reading, limit, asRead)
  const rowsMax = limit + slackRows
  const fetched = await reading.fetch(null, rowsMax, resultBytesMax)
  const isLast = fetched.length < rowsMax
  const rows = isLast ? fetched : withoutLastPlace(fetched, reading.placeOf)
  const found = await ofStandards(alive(table, rows, rows), filter)
  if (isLast || found.length >= limit) return found.slice(0, limit)
  const rest = { filter, after: rows.at(-1) ?? after ?? start, limit: limit - found.length }
  return [...found, ...(await transfersOfStandards(store, hash, rest))]
}
