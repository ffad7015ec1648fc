import { transfersOfTokenBody } from '../../../libs/presenters/list-bodies.ts'
import { transferObject } from '../../../libs/presenters/objects/transfer.ts'
import { placesOfTransactions } from '../../../libs/queries/rows-by-key/rows-by-key.ts'
import { transfersOfToken } from '../../../libs/queries/transfers-of-token.ts'
import { References } from '../rows/references.ts'
import { ofAddress } from './pipeline/route.ts'
import type { Reader } from './pipeline/steps.ts'
import {
  type BatchPlace,
  batchPlaceOf,
  cursorAfter,
  logPlaceOf,
  sizeRequest,
  type TransferParameters,
  transferParameters,
} from './transfer-cursors.ts'

function pageRequest(parameters: TransferParameters) {
  const batch = batchPlaceOf(parameters)
  return {
    before: logPlaceOf(parameters),
    // A batch without its transaction has no position.
    batch: batch === null || batch.transactionHash === null ? null : batch,
    ...sizeRequest(parameters),
  }
}

type PageRequest = ReturnType<typeof pageRequest>

/** The cursor; null: from the newest transfer. */
async function afterPlace({ before, batch }: PageRequest, { read }: Reader) {
  const item = batch === null ? null : await afterItem(batch, read)
  return item ?? (before && { ...before, batchIndex: null })
}

/**
 * The batch is in the block of its transaction. Null if the transaction is unknown or has moved to
 * another block: then the page continues after the transfer before the batch.
 */
async function afterItem(batch: BatchPlace, read: Reader['read']) {
  const { transactionHash, blockHash, logIndex, batchIndex } = batch
  if (transactionHash === null) return null
  const place = (await read(placesOfTransactions, [transactionHash])).get(transactionHash)
  const isThere = place !== undefined && (blockHash === null || blockHash === place.blockHash)
  return isThere ? { blockNumber: place.blockNumber, logIndex, batchIndex } : null
}

export const transfersOfTokenRoute = ofAddress.list({
  path: '/api/v2/tokens/{address_hash}/transfers',
  mayBeUnknown: true,
  operationId: 'transfersOfToken',
  example: { what: 'transfers of a token', of: 'tokens' },
  summary: 'Transfers of a token, newest first',
  description: 'Each id of a batch is an item.',
  body: transfersOfTokenBody,
  parameters: transferParameters,
  pageRequest,
  async list({ subject: token, requested }, reader) {
    const [rows, isToken] = await Promise.all([
      afterPlace(requested, reader).then((after) =>
        reader.read(transfersOfToken, { token, after, limit: requested.size + 1 }),
      ),
      reader.isToken(token),
    ])
    return isToken ? { rows, token } : 'not found'
  },
  hydrate: (rows, { token }) => new References().token(token).transfers(rows),
  present: {
    item: (row, { lookups }) => transferObject(row, lookups),
    cursorAfter: (page, { requested }) => cursorAfter({ ...requested, ...page }),
  },
})
