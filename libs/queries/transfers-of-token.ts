import { type Address, withoutPrefix } from '../chain/hex.ts'
import type { Store } from '../ports/store.ts'
import type { Row } from '../tables/declare/table.ts'
import { transfersByToken as table } from '../tables/tables/transfers.ts'
import { firstRowsOfSubjects, range } from './reading/declared.ts'
import { firstPageRows, firstPages, firstRows } from './reading/first-pages.ts'
import { clampUint32, clampUint64, uint32Max, uint64Max } from './reading/parameters.ts'
import { question } from './reading/question.ts'
import { type ListSource, readList, unfiltered } from './reading/read-list.ts'

type Transfer = Row<typeof table>

/** Only logs of batches have a `batchIndex` above 0. */
const transfersOfTokenNewest = range({
  file: new URL('./transfers-of-token.sql', import.meta.url),
  table,
  of: ['token'],
  after: ['blockNumber', 'logIndex', 'batchIndex'],
  order: 'reversed',
  budget: { rowsMax: 8_000, bytesMax: 1_000_000 },
})

/** First pages of tokens with few rows. */
const firstTransfersOfTokens = firstRowsOfSubjects({
  file: new URL('./first-transfers-of-tokens.sql', import.meta.url),
  table,
  order: 'reversed',
  budget: { rowsMax: 300_000, bytesMax: 100_000_000 },
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
export const transfersOfToken = question({
  table,
  subjects: ({ token }: TransfersOfToken) => [token],
  read: readTransfers,
  batch: firstPages({
    subjectOf: ({ token, after, limit }: TransfersOfToken) =>
      after === null && limit <= firstPageRows ? token : null,
    query: firstTransfersOfTokens,
    subjectOfRow: (row) => row.token,
    ...firstRows(table, cursorKey),
  }),
  blockPage: (options, rows) => ({ ...options, order: 'desc', rows }),
})

function readTransfers(
  store: Store,
  { token, after, limit }: TransfersOfToken,
): Promise<readonly Transfer[]> {
  const end = { blockNumber: uint64Max, logIndex: uint32Max, batchIndex: uint32Max }
  const source: ListSource<Transfer> = {
    table,
    cursorKey,
    fetch: (last, rowsMax) => {
      const { blockNumber, logIndex, batchIndex } = last ?? after ?? end
      return transfersOfTokenNewest.run(store, {
        token: withoutPrefix(token),
        blockNumber: clampUint64(blockNumber),
        logIndex: clampUint32(logIndex),
        batchIndex: clampUint32(batchIndex ?? 0),
        rowsMax,
      })
    },
    fetchRowsMax: 4_096,
  }
  return readList(source, limit, unfiltered)
}

function cursorKey({ blockNumber, logIndex, batchIndex }: Transfer): string {
  return `${blockNumber}|${logIndex}|${batchIndex}`
}
