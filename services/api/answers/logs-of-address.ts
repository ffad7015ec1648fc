import { cursorAfter, placeOf } from '../../../libs/presenters/cursors/logs-of-address.ts'
import { logsOfAddress as endpoint } from '../../../libs/presenters/endpoints.ts'
import { logObject } from '../../../libs/presenters/log.ts'
import { Needs } from '../needs.ts'
import { addressRoute, cut, sizeOf } from '../route.ts'

export const logsOfAddress = addressRoute(endpoint, async ({ subject, asked }, reader) => {
  const size = sizeOf(asked)
  const rows = await reader.asks.logsOfAddress({
    address: subject,
    topic: asked.topic,
    after: placeOf(asked),
    limit: size + 1,
  })
  const { shown, more } = cut(rows, size)
  const hashes = [...new Set(shown.map((row) => row.transactionHash))]
  const [places] = await Promise.all([
    reader.asks.places(hashes),
    // Remembered meanwhile; the recipients are known only then.
    reader.know(new Needs().logs(shown)),
  ])
  const needs = new Needs().logs(shown)
  for (const { to } of places.values()) needs.address(to)
  const known = await reader.know(needs)
  const items = shown.map((row) =>
    logObject(row, places.get(row.transactionHash)?.to ?? null, known),
  )
  return { body: { items, next_page_params: more && cursorAfter(more.last, asked, size) } }
})
