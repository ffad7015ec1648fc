import { balanceObject, type ListedBalance } from '../../../libs/presenters/balance.ts'
import { cursorAfter, pageRequest } from '../../../libs/presenters/cursors/tokens-of-address.ts'
import { tokensOfAddress as endpoint } from '../../../libs/presenters/endpoints.ts'
import { part } from '../../../libs/tables/balances.ts'
import { listPage } from '../render/list-page.ts'
import { References } from '../render/references.ts'
import { balancesInOrder } from './balances-in-order.ts'
import { addressRoute } from './route.ts'

/** Items may be repeated or missing, as the rates of the previous pages have expired. */
const orderChanged = { 'x-order-changed': 'rates' }

export const tokensOfAddressRoute = addressRoute({
  endpoint,
  pageRequest,
  answer: async ({ subject, requested }, reader) => {
    const { standards, after, size } = requested
    const ordering = await reader.ordering(after)
    const limit = size + 1
    const { hour, isChanged } = ordering
    const page = await listPage({
      rows: await balancesInOrder(reader, ordering, { holder: subject, standards, after, limit }),
      size,
      async present(shown) {
        const lookups = await reader.lookUp(balanceReferences(shown))
        return {
          item: (row) => balanceObject(row, lookups),
          cursorAfter: ({ last }) => cursorAfter(last, { size, hour }, lookups),
        }
      },
    })
    return isChanged ? { ...page, headers: orderChanged } : page
  },
})

export function balanceReferences(rows: readonly ListedBalance[]): References {
  const references = new References()
  for (const row of rows) {
    references.token(row.token)
    if (row.part === part.instance) references.instance(row.token, row.tokenId)
  }
  return references
}
