import { balanceObject, type ListedBalance } from '../../../libs/presenters/balance.ts'
import { cursorAfter, pageAsked } from '../../../libs/presenters/cursors/tokens-of-address.ts'
import { tokensOfAddress as endpoint } from '../../../libs/presenters/endpoints.ts'
import { part } from '../../../libs/tables/balances.ts'
import { listPage } from '../list-page.ts'
import { Needs } from '../needs.ts'
import { addressRoute } from '../route.ts'
import { balancesInOrder } from './balances-in-order.ts'

/** Says that items may come again, or be missed, as the rates of the walk are not kept any more. */
const orderChanged = { 'x-order-changed': 'rates' }

export const tokensOfAddress = addressRoute({
  endpoint,
  pageAsked,
  answer: async ({ subject, asked }, reader) => {
    const { standards, after, size } = asked
    const ordering = await reader.ordering(after)
    const limit = size + 1
    const { hour, isChanged } = ordering
    const page = await listPage({
      rows: await balancesInOrder(reader, ordering, { holder: subject, standards, after, limit }),
      size,
      async present(shown) {
        const known = await reader.know(balanceNeeds(shown))
        return {
          item: (row) => balanceObject(row, known),
          cursorAfter: ({ last }) => cursorAfter(last, { size, hour }, known),
        }
      },
    })
    return isChanged ? { ...page, headers: orderChanged } : page
  },
})

export function balanceNeeds(rows: readonly ListedBalance[]): Needs {
  const needs = new Needs()
  for (const row of rows) {
    needs.token(row.token)
    if (row.part === part.instance) needs.instance(row.token, row.tokenId)
  }
  return needs
}
