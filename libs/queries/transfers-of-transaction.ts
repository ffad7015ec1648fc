import type { Hash } from '../chain/hex.ts'
import { type Standard, standards as standardList } from '../chain/token.ts'
import type { Store } from '../ports/store.ts'
import type { Row } from '../tables/table.ts'
import { transfersByTransaction as table } from '../tables/transfers-by-transaction.ts'
import { bare, uint32Last, within32 } from './parameters.ts'
import { query } from './query.ts'
import { type Reading, read } from './reading.ts'
import { tokenStates } from './tokens.ts'

type Transfer = Row<typeof table>

export const transfersOfTransactionInOrder = query({
  file: new URL('./transfers-of-transaction.sql', import.meta.url),
  table,
  budget: { rowsMax: 8_000, bytesMax: 1_000_000 },
})

export interface TransfersOfTransaction {
  readonly hash: Hash
  /** Of the tokens themselves, whatever form their logs have; null for all. */
  readonly standards: readonly Standard[] | null
  /** Without `batchIndex`: after the whole log. */
  readonly after: { readonly logIndex: number; readonly batchIndex: number | null } | null
  readonly limit: number
}

/** Logs ascending, inside a batch descending. */
export async function transfersOfTransaction(
  store: Store,
  { hash, standards, after, limit }: TransfersOfTransaction,
): Promise<Transfer[]> {
  const start = { logIndex: 0, batchIndex: uint32Last }
  const reading: Reading<Transfer> = {
    table,
    placeOf: (row) => `${row.logIndex}|${row.batchIndex}`,
    fetch: (last, rowsMax) => {
      const { logIndex, batchIndex } = last ?? after ?? start
      return transfersOfTransactionInOrder.ask(store, {
        hash: bare(hash),
        logIndex: within32(logIndex),
        batchIndex: within32(batchIndex ?? 0),
        rowsMax,
      })
    },
    fetchRowsMax: 4_096,
  }
  return read(reading, limit, async (rows) => (standards ? ofTokens(store, standards, rows) : rows))
}

/** A token's standard is known only once it was seen, so that it stands in no key of transfers. */
async function ofTokens(
  store: Store,
  standards: readonly Standard[],
  rows: readonly Transfer[],
): Promise<Transfer[]> {
  const tokens = await tokenStates(store, [...new Set(rows.map(({ token }) => token))])
  const wanted = new Set(standards.map((standard) => standardList.indexOf(standard)))
  // The ledger may be ahead of the state group: then the form of the log is what is known.
  return rows.filter((row) => wanted.has(tokens.get(row.token)?.standard ?? row.form))
}
