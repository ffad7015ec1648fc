import type { z } from 'zod'
import type { Hash } from '../../chain/hex.ts'
import type { transfersOfToken } from '../endpoints.ts'
import type { TransferRow } from '../transfer.ts'

/** What the lists of transfers share in their parameters. */
type Asked = z.output<typeof transfersOfToken.parameters>

/** After an item of a batch; the batch is found by its transaction. */
export interface BatchPlace {
  readonly transactionHash: Hash | null
  readonly blockHash: Hash | null
  readonly logIndex: number
  readonly batchIndex: number
}

export function batchPlaceOf(asked: Asked): BatchPlace | null {
  const { batch_log_index: logIndex, index_in_batch: batchIndex } = asked
  if (logIndex === null || batchIndex === null) return null
  return {
    transactionHash: asked.batch_transaction_hash,
    blockHash: asked.batch_block_hash,
    logIndex,
    batchIndex,
  }
}

/** After a whole log: `block_number` and `index` of the last item, or of the one before a batch. */
export const logPlaceOf = ({ block_number: blockNumber, index }: Asked) =>
  blockNumber === null || index === null ? null : { blockNumber, logIndex: index }

const isSameLog = (a: TransferRow, b: TransferRow): boolean =>
  a.blockNumber === b.blockNumber && a.logIndex === b.logIndex

/**
 * The cursor after `shown`, given the first row that is not shown. Where the page cuts a batch, it
 * names the last item shown, and the last transfer before that batch: of this page, or else the
 * one that the request named.
 */
export function cursorAfter(shown: readonly TransferRow[], next: TransferRow, asked: Asked) {
  const last = shown.at(-1)
  if (last === undefined) return null
  const size = asked.items_count === null ? {} : { items_count: asked.items_count }
  if (!isSameLog(last, next)) {
    return { block_number: last.blockNumber, index: last.logIndex, ...size }
  }
  const before = shown.findLast((row) => !isSameLog(row, last))
  const place = before ?? logPlaceOf(asked)
  return {
    ...(place === null ? {} : { block_number: place.blockNumber, index: place.logIndex }),
    ...batchKeys(last),
    ...size,
  }
}

/**
 * The same inside a transaction, where the keys of a batch name the last item even of a page that
 * cuts none: some clients keep no other keys.
 */
export function cursorInTransaction(
  shown: readonly TransferRow[],
  next: TransferRow,
  asked: Asked,
) {
  const last = shown.at(-1)
  return last === undefined ? null : { ...cursorAfter(shown, next, asked), ...batchKeys(last) }
}

const batchKeys = (last: TransferRow) => ({
  batch_log_index: last.logIndex,
  batch_block_hash: last.blockHash,
  batch_transaction_hash: last.transactionHash,
  index_in_batch: last.batchIndex,
})
