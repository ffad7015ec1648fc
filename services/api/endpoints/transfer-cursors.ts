import { z } from 'zod'
import type { Hash } from '../../../libs/chain/hex.ts'
import type { TransferRow } from '../../../libs/presenters/objects/transfer.ts'
import * as forms from '../../../libs/presenters/parameters.ts'

/** Parameters that the lists of transfers share. */
export const transferParameters = z.object({
  block_number: forms.blockNumber.describe('Cursor, with index.'),
  index: forms.index.describe('Cursor: index of the last log.'),
  batch_log_index: forms.index.describe('Cursor inside a batch: index of its log.'),
  batch_block_hash: forms.hashParameter.describe('Cursor inside a batch: its block.'),
  batch_transaction_hash: forms.hashParameter.describe('Cursor inside a batch: its transaction.'),
  index_in_batch: forms.index.describe('Cursor inside a batch: place of the last item.'),
  items_count: forms.itemsCount,
})
export type TransferParameters = z.output<typeof transferParameters>

/** After a whole log: that of the last item, or of the one before a batch. */
export interface LogPlace {
  readonly blockNumber: number
  readonly logIndex: number
}

/** After an item of a batch; the batch is found by its transaction. */
export interface BatchPlace {
  readonly transactionHash: Hash | null
  readonly blockHash: Hash | null
  readonly logIndex: number
  readonly batchIndex: number
}

export function batchPlaceOf(parameters: TransferParameters): BatchPlace | null {
  const { batch_log_index: logIndex, index_in_batch: batchIndex } = parameters
  if (logIndex === null || batchIndex === null) return null
  return {
    transactionHash: parameters.batch_transaction_hash,
    blockHash: parameters.batch_block_hash,
    logIndex,
    batchIndex,
  }
}

export const logPlaceOf = ({
  block_number: blockNumber,
  index,
}: TransferParameters): LogPlace | null =>
  blockNumber === null || index === null ? null : { blockNumber, logIndex: index }

/** The size of a page, and whether the cursor contains it: only if the request did. */
export const sizeRequest = (parameters: TransferParameters) => ({
  size: forms.pageSizeOf(parameters),
  isSizeSent: parameters.items_count !== null,
})

const isSameLog = (a: TransferRow, b: TransferRow): boolean =>
  a.blockNumber === b.blockNumber && a.logIndex === b.logIndex

/** A page of transfers, and its request. */
interface Shown extends ReturnType<typeof sizeRequest> {
  readonly shown: readonly TransferRow[]
  /** The first that is not shown. */
  readonly next: TransferRow
  /** The transfer that the request named as the last one before this page, or before its batch. */
  readonly before: LogPlace | null
}

/**
 * The cursor after a page. Where the page cuts a batch, it names the last item shown, and the last
 * transfer before that batch: of this page, or else the one that the request named.
 */
export function cursorAfter({ shown, next, ...parameters }: Shown) {
  const last = shown.at(-1)
  if (last === undefined) return null
  const size = parameters.isSizeSent ? { items_count: parameters.size } : {}
  if (!isSameLog(last, next)) {
    return { block_number: last.blockNumber, index: last.logIndex, ...size }
  }
  const place = shown.findLast((row) => !isSameLog(row, last)) ?? parameters.before
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
export function cursorInTransaction(page: Shown) {
  const last = page.shown.at(-1)
  return last === undefined ? null : { ...cursorAfter(page), ...batchKeys(last) }
}

const batchKeys = (last: TransferRow) => ({
  batch_log_index: last.logIndex,
  batch_block_hash: last.blockHash,
  batch_transaction_hash: last.transactionHash,
  index_in_batch: last.batchIndex,
})
