import type { z } from 'zod'
import {
  type BatchPlace,
  batchPlaceOf,
  cursorAfter,
  logPlaceOf,
} from '../../../libs/presenters/cursors/transfers.ts'
import { transfersOfToken as endpoint } from '../../../libs/presenters/endpoints.ts'
import { transferObject } from '../../../libs/presenters/transfer.ts'
import type { LogPlace } from '../asks.ts'
import { Needs } from '../needs.ts'
import { addressRoute, cut, type Reader, sizeOf } from '../route.ts'

type Asked = z.output<typeof endpoint.parameters>

export const transfersOfToken = addressRoute(endpoint, async ({ subject, asked }, reader) => {
  const size = sizeOf(asked)
  const [rows, knownToken] = await Promise.all([
    afterPlace(asked, reader).then((after) =>
      reader.asks.transfersOfToken({ token: subject, after, limit: size + 1 }),
    ),
    reader.know(new Needs().token(subject)),
  ])
  if (knownToken.token(subject) === null) return 'not found'
  const { shown, more } = cut(rows, size)
  const known = await reader.know(new Needs().token(subject).transfers(shown))
  const items = shown.map((row) => transferObject(row, known))
  return { body: { items, next_page_params: more && cursorAfter(shown, more.next, asked) } }
})

/** Where the page begins; null: at the newest transfer. */
async function afterPlace(asked: Asked, reader: Reader) {
  const batch = batchPlaceOf(asked)
  const logPlace = logPlaceOf(asked)
  return batch === null ? afterLog(logPlace) : afterItem(batch, logPlace, reader)
}

const afterLog = (place: LogPlace | null) => place && { ...place, batchIndex: null }

/**
 * The batch lies in the block of its transaction. Where that is not known any more, or the
 * transaction lies in another block since, reading goes on after the transfer before the batch.
 */
async function afterItem(batch: BatchPlace, fallback: LogPlace | null, { asks }: Reader) {
  const { transactionHash, blockHash, logIndex, batchIndex } = batch
  if (transactionHash === null) return afterLog(fallback)
  const place = (await asks.places([transactionHash])).get(transactionHash)
  if (place === undefined) return afterLog(fallback)
  if (blockHash !== null && blockHash !== place.blockHash) return afterLog(fallback)
  return { blockNumber: place.blockNumber, logIndex, batchIndex }
}
