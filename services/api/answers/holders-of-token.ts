import { cursorAfter, pageAsked } from '../../../libs/presenters/cursors/holders-of-token.ts'
import { holdersOfToken as endpoint } from '../../../libs/presenters/endpoints.ts'
import { holderObject } from '../../../libs/presenters/holder.ts'
import { Needs } from '../needs.ts'
import { addressRoute, cut } from '../route.ts'

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
    const { shown, more } = cut(rows, size)
    const needs = new Needs()
    for (const row of shown) needs.address(row.holder)
    const known = await reader.know(needs)
    const items = shown.map((row) => holderObject(row, known))
    return { body: { items, next_page_params: more && cursorAfter(more.last, asked) } }
  },
})
