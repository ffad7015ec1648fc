import { z } from 'zod'
import { holdersBody } from '../../../libs/presenters/list-bodies.ts'
import { holderObject } from '../../../libs/presenters/objects/balance.ts'
import * as forms from '../../../libs/presenters/parameters.ts'
import { holdersOfToken } from '../../../libs/queries/holders-of-token/holders-of-token.ts'
import type { Row } from '../../../libs/tables/declare/table.ts'
import { part } from '../../../libs/tables/tables/balances.ts'
import type { holders } from '../../../libs/tables/tables/holders.ts'
import { References } from '../rows/references.ts'
import { ofAddress } from './pipeline/route.ts'
import { rowsOfKnown } from './rows-of-known.ts'

const parameters = z.object({
  address_hash: forms.addressParameter.describe('Cursor, with value: the last holder.'),
  value: forms.amount.describe('Cursor, with address_hash: amount of the last item.'),
  token_id: forms.amount.describe('Cursor: id of the last item.'),
  items_count: forms.itemsCount,
})
type QueryParameters = z.output<typeof parameters>

const pageRequest = (parameters: QueryParameters) => ({
  after: placeOf(parameters),
  size: forms.pageSizeOf(parameters),
})

/** Without the token id the place is after all ids of that holder with that value. */
const placeOf = ({ address_hash: holder, value, token_id: tokenId }: QueryParameters) =>
  holder === null || value === null ? null : { value, holder, tokenId }

const cursorAfter = (last: Row<typeof holders>, { size }: ReturnType<typeof pageRequest>) => ({
  address_hash: last.holder,
  value: last.value.toString(),
  token_id: last.part === part.instance ? last.tokenId.toString() : null,
  items_count: size,
})

export const holdersOfTokenRoute = ofAddress.list({
  path: '/api/v2/tokens/{address_hash}/holders',
  mayBeUnknown: true,
  operationId: 'holdersOfToken',
  example: { what: 'holders of a token', of: 'tokens' },
  summary: 'Holders of a token, greatest first',
  description: 'By value, address and id, all descending.',
  body: holdersBody,
  parameters,
  pageRequest,
  async list({ subject: token, requested: { after, size } }, reader) {
    const list = { token, after, limit: size + 1 }
    const rows = await rowsOfKnown(
      async () => {
        const [all, states] = await Promise.all([
          reader.read(holdersOfToken, list),
          reader.tokenStates([token]),
        ])
        const shownSince = states.get(token)?.shownSince ?? 0
        return shownSince === 0 ? all : reader.read(holdersOfToken, { ...list, shownSince })
      },
      () => reader.isToken(token),
    )
    return rows === null ? 'not found' : { rows }
  },
  hydrate(rows) {
    const references = new References()
    for (const row of rows) references.address(row.holder)
    return references
  },
  present: {
    item: (row, { lookups }) => holderObject(row, lookups),
    cursorAfter: ({ last }, { requested }) => cursorAfter(last, requested),
  },
})
