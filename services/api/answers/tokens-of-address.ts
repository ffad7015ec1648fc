import { standards } from '../../../libs/chain/token.ts'
import { balanceObject } from '../../../libs/presenters/balance.ts'
import { cursorAfter, placeOf } from '../../../libs/presenters/cursors/tokens-of-address.ts'
import { tokensOfAddress as endpoint } from '../../../libs/presenters/endpoints.ts'
import { part } from '../../../libs/tables/balances.ts'
import type { balancesByValue } from '../../../libs/tables/balances-by-value.ts'
import type { Row } from '../../../libs/tables/table.ts'
import { Needs } from '../needs.ts'
import { addressRoute, cut, sizeOf } from '../route.ts'

export const tokensOfAddress = addressRoute(endpoint, async ({ subject, asked }, reader) => {
  const size = sizeOf(asked)
  const rows = await reader.asks.balancesOfAddress({
    holder: subject,
    standards: asked.type ?? standards,
    after: placeOf(asked),
    limit: size + 1,
  })
  const { shown, more } = cut(rows, size)
  const known = await reader.know(balanceNeeds(shown))
  const items = shown.map((row) => balanceObject(row, known))
  return { body: { items, next_page_params: more && cursorAfter(more.last, known, size) } }
})

export function balanceNeeds(rows: readonly Row<typeof balancesByValue>[]): Needs {
  const needs = new Needs()
  for (const row of rows) {
    needs.token(row.token)
    if (row.part === part.instance) needs.instance(row.token, row.tokenId)
  }
  return needs
}
