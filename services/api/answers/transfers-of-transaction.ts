import type { z } from 'zod'
import type { Hash } from '../../../libs/chain/hex.ts'
import { batchPlaceOf, cursorInTransaction } from '../../../libs/presenters/cursors/transfers.ts'
import { transfersOfTransaction as endpoint } from '../../../libs/presenters/endpoints.ts'
import { transferObject } from '../../../libs/presenters/transfer.ts'
import type { TransactionPlace } from '../../../libs/queries/transaction-places.ts'
import { Needs } from '../needs.ts'
import { cut, sizeOf, transactionRoute } from '../route.ts'

type Asked = z.output<typeof endpoint.parameters>

export const transfersOfTransaction = transactionRoute(
  endpoint,
  async ({ subject, asked }, reader) => {
    const size = sizeOf(asked)
    const placing = reader.asks.places([subject])
    const sent = placeOf(subject, asked)
    // Only a cursor has to wait for where the transaction lies.
    const isThere = sent !== null && liesAsSaid((await placing).get(subject), asked)
    const [places, rows] = await Promise.all([
      placing,
      reader.asks.transfersOfTransaction({
        hash: subject,
        standards: asked.type,
        after: isThere ? sent : null,
        limit: size + 1,
      }),
    ])
    if (!places.has(subject)) return 'not found'
    const { shown, more } = cut(rows, size)
    const known = await reader.know(new Needs().transfers(shown))
    const items = shown.map((row) => transferObject(row, known))
    const next_page_params = more && cursorInTransaction(shown, more.next, asked)
    return { body: { items, next_page_params } }
  },
)

/** Inside one transaction the log's index tells the place; a batch of another one tells none. */
function placeOf(subject: Hash, asked: Asked) {
  const batch = batchPlaceOf(asked)
  if (batch !== null && (batch.transactionHash ?? subject) === subject) {
    return { logIndex: batch.logIndex, batchIndex: batch.batchIndex }
  }
  return asked.index === null ? null : { logIndex: asked.index, batchIndex: null }
}

/**
 * Log indexes count inside a block. A cursor from another block than the one that holds the
 * transaction now, after a reorganisation, tells no place: transfers would be left out.
 */
const liesAsSaid = (
  place: TransactionPlace | undefined,
  { block_number: blockNumber, batch_block_hash: blockHash }: Asked,
): boolean =>
  place !== undefined &&
  (blockNumber ?? place.blockNumber) === place.blockNumber &&
  (blockHash ?? place.blockHash) === place.blockHash
