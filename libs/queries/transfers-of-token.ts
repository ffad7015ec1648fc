import type { Address } from '../chain/hex.ts'
import type { Store } from '../ports/store.ts'
import type { Row } from '../tables/table.ts'
import { transfersByToken as table } from '../tables/transfers-by-token.ts'
import { bare, uint32Last, uint64Last, within32, within64 } from './parameters.ts'
import { query } from './query.ts'
import { asRead, type Reading, read } from './reading.ts'

type Transfer = Row<typeof table>

export const transfersOfTokenNewest = query({
  file: new URL('./transfers-of-token.sql', import.meta.url),
  table,
  budget: { rowsMax: 8_000, bytesMax: 1_000_000 },
})

export interface TransfersOfToken {
  readonly token: Address
  /** Without `batchIndex`: after the whole log. */
  readonly after: {
    readonly blockNumber: number
    readonly logIndex: number
    readonly batchIndex: number | null
  } | null
  readonly limit: number
}

/** Newest first: block, log and place in the batch descending. */
export async function transfersOfToken(
  store: Store,
  { token, after, limit }: TransfersOfToken,
): Promise<Transfer[]> {
  const end = { blockNumber: uint64Last, logIndex: uint32Last, batchIndex: uint32Last }
  const reading: Reading<Transfer> = {
    table,
    placeOf: (row) => `${row.blockNumber}|${row.logIndex}|${row.batchIndex}`,
    fetch: (last, rowsMax) => {
      const { blockNumber, logIndex, batchIndex } = last ?? after ?? end
      return transfersOfTokenNewest.ask(store, {
        token: bare(token),
        blockNumber: within64(blockNumber),
        logIndex: within32(logIndex),
        batchIndex: within32(batchIndex ?? 0),
        rowsMax,
      })
    },
    fetchRowsMax: 4_096,
  }
  return read(reading, limit, asRead)
}
