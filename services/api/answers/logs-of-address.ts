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
  const known = await reader.know(new Needs().logs(shown))
  const items = shown.map((row) => logObject(row, known))
  return { body: { items, next_page_params: more && cursorAfter(more.last, asked, size) } }
})
