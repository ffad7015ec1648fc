import type { z } from 'zod'
import { standards } from '../../chain/token.ts'
import type { balancesByValue } from '../../tables/balances-by-value.ts'
import type { Row } from '../../tables/table.ts'
import type { tokensOfAddress } from '../endpoints.ts'
import { type Known, standardAt } from '../known.ts'
import { pageSizeOf } from '../parameters/forms.ts'
import { tokenAt } from '../token.ts'

type Asked = z.output<typeof tokensOfAddress.parameters>

/**
 * `id` = hour of the rates * 2^33 + ordinal; the hour is 0 while no token has a rate. Value and
 * ordinal tell the place.
 */
const ordinals = 1n << 33n

export const pageAsked = (asked: Asked) => ({
  standards: asked.type ?? standards,
  after: placeOf(asked),
  size: pageSizeOf(asked),
})

/** @returns null for the first page: nothing asked, or not enough to tell a place. */
const placeOf = ({ value, id }: Asked) =>
  value === null || id === null ? null : { value, ordinal: Number(id % ordinals) }

/** Code points of a name in a cursor: enough for a person to recognise the token. */
const nameCodePointsMax = 64

/**
 * A contract chooses its name, and each code point takes up to 12 characters of a query: whole
 * names would make next pages that are refused (414). Half surrogates cannot be sent at all.
 */
const cursorName = (name: string): string =>
  Buffer.from([...name].slice(0, nameCodePointsMax).join('')).toString()

export function cursorAfter(
  last: Row<typeof balancesByValue>,
  { size }: ReturnType<typeof pageAsked>,
  known: Known,
) {
  const { name, type } = tokenAt(last.token, standardAt(last.standard), known)
  return {
    fiat_value: null,
    id: last.ordinal,
    items_count: size,
    value: last.value.toString(),
    token_name: name === null ? null : cursorName(name),
    token_type: type,
  }
}
