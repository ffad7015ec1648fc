import type { z } from 'zod'
import {
  type BatchPlace,
  batchPlaceOf,
  cursorAfter,
  logPlaceOf,
  sizeAsked,
} from '../../../libs/presenters/cursors/transfers.ts'
import { transfersOfToken as endpoint } from '../../../libs/presenters/endpoints.ts'
import { transferObject } from '../../../libs/presenters/transfer.ts'
import { listPage } from '../list-page.ts'
import { Needs } from '../needs.ts'
import { addressRoute, type Reader } from '../route.ts'

export const transfersOfToken = addressRoute({
  endpoint,
  pageAsked,
  answer: async ({ subject, asked }, reader) => {
    const { size } = asked
    const [rows, knownToken] = await Promise.all([
      afterPlace(asked, reader).then((after) =>
        reader.asks.transfersOfToken({ token: subject, after, limit: size + 1 }),
      ),
      reader.know(new Needs().token(subject)),
    ])
    if (knownToken.token(subject) === null) return 'not found'
    return listPage({
      rows,
      size,
      async present(shown) {
        const known = await reader.know(new Needs().token(subject).transfers(shown))
        return {
          item: (row) => transferObject(row, known),
          cursorAfter: (page) => cursorAfter({ ...asked, ...page }),
        }
      },
    })
  },
})

type Asked = ReturnType<typeof pageAsked>

function pageAsked(parameters: z.output<typeof endpoint.parameters>) {
  const batch = batchPlaceOf(parameters)
  return {
    before: logPlaceOf(parameters),
    // Without its transaction a batch tells no place.
    batch: batch === null || batch.transactionHash === null ? null : batch,
    ...sizeAsked(parameters),
  }
}

/** Where the page begins; null: at the newest transfer. */
async function afterPlace({ before, batch }: Asked, { asks }: Reader) {
  const item = batch === null ? null : await afterItem(batch, asks)
  return item ?? (before && { ...before, batchIndex: null })
}

/**
 * The batch lies in the block of its transaction. Where that is not known any more, or the
 * transaction lies in another block since, null: reading goes on after the transfer before the
 * batch.
 */
async function afterItem(batch: BatchPlace, asks: Reader['asks']) {
  const { transactionHash, blockHash, logIndex, batchIndex } = batch
  if (transactionHash === null) return null
  const place = (await asks.places([transactionHash])).get(transactionHash)
  const isThere = place !== undefined && (blockHash === null || blockHash === place.blockHash)
  return isThere ? { blockNumber: place.blockNumber, logIndex, batchIndex } : null
}
