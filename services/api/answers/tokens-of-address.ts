import { balanceObject } from '../../../libs/presenters/balance.ts'
import { cursorAfter, pageAsked } from '../../../libs/presenters/cursors/tokens-of-address.ts'
import { tokensOfAddress as endpoint } from '../../../libs/presenters/endpoints.ts'
import { part } from '../../../libs/tables/balances.ts'
import type { balancesByValue } from '../../../libs/tables/balances-by-value.ts'
import type { Row } from '../../../libs/tables/table.ts'
import { listPage } from '../list-page.ts'
import { Needs } from '../needs.ts'
import { addressRoute } from '../route.ts'

export const tokensOfAddress = addressRoute({
  endpoint,
  pageAsked,
  answer: async ({ subject, asked }, reader) => {
    const { standards, after, size } = asked
    const limit = size + 1
    const rows = await reader.asks.balancesOfAddress({ holder: subject, standards, after, limit })
    return listPage({
      rows,
      size,
      async present(shown) {
        const known = await reader.know(balanceNeeds(shown))
        return {
          item: (row) => balanceObject(row, known),
          cursorAfter: ({ last }) => cursorAfter(last, asked, known),
        }
      },
    })
  },
})

export function balanceNeeds(rows: readonly Row<typeof balancesByValue>[]): Needs {
  const needs = new Needs()
  for (const row of rows) {
    needs.token(row.token)
    if (row.part === part.instance) needs.instance(row.token, row.tokenId)
  }
  return needs
}
