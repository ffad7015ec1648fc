import { holderObject } from '../../../libs/presenters/balance.ts'
import { cursorAfter, pageRequest } from '../../../libs/presenters/cursors/holders-of-token.ts'
import { holdersOfToken as endpoint } from '../../../libs/presenters/endpoints.ts'
import { holdersOfToken } from '../../../libs/queries/holders-of-token.ts'
import { listPage } from '../render/list-page.ts'
import { References } from '../render/references.ts'
import { addressRoute } from './route.ts'

export const holdersOfTokenRoute = addressRoute({
  endpoint,
  pageRequest,
  answer: async ({ subject, requested }, reader) => {
    const { after, size } = requested
    const [rows, token] = await Promise.all([
      reader.read(holdersOfToken, { token: subject, after, limit: size + 1 }),
      reader.lookUp(new References().token(subject)),
    ])
    if (token.token(subject) === null) return 'not found'
    return listPage({
      rows,
      size,
      async present(shown) {
        const references = new References()
        for (const row of shown) references.address(row.holder)
        const lookups = await reader.lookUp(references)
        return {
          item: (row) => holderObject(row, lookups),
          cursorAfter: ({ last }) => cursorAfter(last, requested),
        }
      },
    })
  },
})
