import type { z } from 'zod'
import { part } from '../../tables/balances.ts'
import type { holders } from '../../tables/holders.ts'
import type { Row } from '../../tables/table.ts'
import type { holdersOfToken } from '../endpoints.ts'
import { pageSizeOf } from '../parameters/forms.ts'

type QueryParameters = z.output<typeof holdersOfToken.parameters>

export const pageRequest = (parameters: QueryParameters) => ({
  after: placeOf(parameters),
  size: pageSizeOf(parameters),
})

/** Without the token id the place is after all ids of that holder with that value. */
const placeOf = ({ address_hash: holder, value, token_id: tokenId }: QueryParameters) =>
  holder === null || value === null ? null : { value, holder, tokenId }

export const cursorAfter = (
  last: Row<typeof holders>,
  { size }: ReturnType<typeof pageRequest>,
) => ({
  address_hash: last.holder,
  value: last.value.toString(),
  token_id: last.part === part.instance ? last.tokenId.toString() : null,
  items_count: size,
})
