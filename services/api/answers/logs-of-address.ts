import { cursorAfter, pageAsked } from '../../../libs/presenters/cursors/logs-of-address.ts'
import { logsOfAddress as endpoint } from '../../../libs/presenters/endpoints.ts'
import { logObject } from '../../../libs/presenters/log.ts'
import { listPage, pageBytesMax } from '../list-page.ts'
import { Needs } from '../needs.ts'
import { addressRoute } from '../route.ts'

export const logsOfAddress = addressRoute({
  endpoint,
  pageAsked,
  answer: async ({ subject, asked }, reader) => {
    const { topic, after, size } = asked
    const list = { address: subject, topic, after, limit: size + 1, bytesMax: pageBytesMax }
    const rows = await reader.asks.logsOfAddress(list)
    return listPage({
      rows,
      size,
      bytesOf: ({ data }) => data.length,
      async present(shown) {
        const known = await reader.know(new Needs().logs(shown))
        return {
          item: (row) => logObject(row, known),
          cursorAfter: ({ last }) => cursorAfter(last, asked),
        }
      },
    })
  },
})
