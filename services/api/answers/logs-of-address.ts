import { cursorAfter, pageAsked } from '../../../libs/presenters/cursors/logs-of-address.ts'
import { logsOfAddress as endpoint } from '../../../libs/presenters/endpoints.ts'
import { logObject } from '../../../libs/presenters/log.ts'
import { Needs } from '../needs.ts'
import { addressRoute, cut } from '../route.ts'

export const logsOfAddress = addressRoute({
  endpoint,
  pageAsked,
  answer: async ({ subject, asked }, reader) => {
    const { topic, after, size } = asked
    const limit = size + 1
    const rows = await reader.asks.logsOfAddress({ address: subject, topic, after, limit })
    const { shown, more } = cut(rows, size)
    const known = await reader.know(new Needs().logs(shown))
    const items = shown.map((row) => logObject(row, known))
    return { body: { items, next_page_params: more && cursorAfter(more.last, asked) } }
  },
})
