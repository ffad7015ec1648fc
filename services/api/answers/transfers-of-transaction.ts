import type { z } from 'zod'
import type { Hash } from '../../../libs/chain/hex.ts'
import { batchPlaceOf, cursorAfter } from '../../../libs/presenters/cursors/transfers.ts'
import { transfersOfTransaction as endpoint } from '../../../libs/presenters/endpoints.ts'
import { transferObject } from '../../../libs/presenters/transfer.ts'
import { Needs } from '../needs.ts'
import { cut, sizeOf, transactionRoute } from '../route.ts'

export const transfersOfTransaction = transactionRoute(
  endpoint,
  async ({ subject, asked }, reader) => {
    const size = sizeOf(asked)
    const [places, rows] = await Promise.all([
      reader.asks.places([subject]),
      reader.asks.transfersOfTransaction({
        hash: subject,
        standards: asked.type,
        after: placeOf(subject, asked),
        limit: size + 1,
      }),
    ])
    if (!places.has(subject)) return 'not found'
    const { shown, more } = cut(rows, size)
    const known = await reader.know(new Needs().transfers(shown))
    const items = shown.map((row) => transferObject(row, known))
    return { body: { items, next_page_params: more && cursorAfter(shown, more.next, asked) } }
  },
)

/** Inside one transaction the log's index tells the place; a batch of another one tells none. */
function placeOf(subject: Hash, asked: z.output<typeof endpoint.parameters>) {
  const batch = batchPlaceOf(asked)
  if (batch !== null && (batch.transactionHash ?? subject) === subject) {
    return { logIndex: batch.logIndex, batchIndex: batch.batchIndex }
  }
  return asked.index === null ? null : { logIndex: asked.index, batchIndex: null }
}
