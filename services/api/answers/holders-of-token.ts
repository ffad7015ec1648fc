import { cursorAfter, pageAsked } from '../../../libs/presenters/cursors/holders-of-token.ts'
import { holdersOfToken as endpoint } from '../../../libs/presenters/endpoints.ts'
import { holderObject } from '../../../libs/presenters/holder.ts'
import { listPage } from '../list-page.ts'
import { Needs } from '../needs.ts'
import { addressRoute } from '../route.ts'

export const holdersOfToken = addressRoute({
  endpoint,
  pageAsked,
  answer: async ({ subject, asked }, reader) => {
    const { after, size } = asked
    const [rows, token] = await Promise.all([
      reader.asks.holdersOfToken({ token: subject, after, limit: size + 1 }),
      reader.know(new Needs().token(subject)),
    ])
    if (token.token(subject) === null) return 'not found'
    return listPage({
      rows,
      size,
      async present(shown) {
        const needs = new Needs()
        for (const row of shown) needs.address(row.holder)
        const known = await reader.know(needs)
        return {
          item: (row) => holderObject(row, known),
          cursorAfter: ({ last }) => cursorAfter(last, asked),
        }
      },
    })
  },
})
