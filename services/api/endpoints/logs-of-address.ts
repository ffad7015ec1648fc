import { cursorAfter, pageRequest } from '../../../libs/presenters/cursors/logs-of-address.ts'
import { logsOfAddress as endpoint } from '../../../libs/presenters/endpoints.ts'
import { logObject } from '../../../libs/presenters/log.ts'
import { logsOfAddress } from '../../../libs/queries/logs-of-address.ts'
import { listPage, pageBytesMax } from '../render/list-page.ts'
import { References } from '../render/references.ts'
import { addressRoute } from './route.ts'

export const logsOfAddressRoute = addressRoute({
  endpoint,
  pageRequest,
  answer: async ({ subject, requested }, reader) => {
    const { topic, after, size } = requested
    const list = { address: subject, topic, after, limit: size + 1, bytesMax: pageBytesMax }
    const rows = await reader.read(logsOfAddress, list)
    return listPage({
      rows,
      size,
      bytesOf: ({ data }) => data.length,
      async present(shown) {
        const lookups = await reader.lookUp(new References().logs(shown))
        return {
          item: (row) => logObject(row, lookups),
          cursorAfter: ({ last }) => cursorAfter(last, requested),
        }
      },
    })
  },
})
