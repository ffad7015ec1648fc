import { z } from 'zod'
import { standards } from '../../../libs/chain/token.ts'
import { fractionOf, fractionText } from '../../../libs/presenters/fiat.ts'
import { tokenBalancesBody } from '../../../libs/presenters/list-bodies.ts'
import { type Lookups, standardAt } from '../../../libs/presenters/lookups.ts'
import { balanceObject, type ListedBalance } from '../../../libs/presenters/objects/balance.ts'
import { tokenAt } from '../../../libs/presenters/objects/token.ts'
import * as forms from '../../../libs/presenters/parameters.ts'
import { part } from '../../../libs/tables/tables/balances.ts'
import { markOf, marksEnd } from '../rows/rate-ordering.ts'
import { References } from '../rows/references.ts'
import { type BalancePlace, balancesInOrder } from './balances-in-order.ts'
import { ofAddress } from './pipeline/route.ts'

const parameters = z.object({
  type: forms.standardsList.describe('Only tokens of these standards.'),
  fiat_value: forms.fraction.describe('Cursor: fiat value of the last item.'),
  value: forms.amount.describe('Cursor, with id: amount of the last item.'),
  id: forms.balanceId.describe('Cursor, with value: place of the last item.'),
  token_name: forms.freeText.describe('Cursor: ignored.'),
  token_type: forms.standard.describe('Cursor: ignored.'),
  items_count: forms.itemsCount,
})
type QueryParameters = z.output<typeof parameters>

/**
 * `id` = (2 * mark + isRated) * 2^33 + ordinal. The mark is the hour of the walk's rates, 0 while
 * no token has a rate; `isRated` is whether the balance has a fiat value, as clients may omit
 * `fiat_value`. All of it is below 2^53.
 */
const ordinalsEnd = 1n << 33n

const pageRequest = (parameters: QueryParameters) => ({
  standards: parameters.type ?? standards,
  after: placeOf(parameters),
  size: forms.pageSizeOf(parameters),
})

/** @returns null for the first page: no cursor, or an incomplete one. */
function placeOf({ value, id, fiat_value: fiat }: QueryParameters): BalancePlace | null {
  if (value === null || id === null) return null
  const ordinal = Number(id % ordinalsEnd)
  const above = id / ordinalsEnd
  const mark = Number((above / 2n) % BigInt(marksEnd))
  const sent = fiat === null ? null : fractionOf(fiat)
  // Below a fiat value are all balances without one, whatever the id says.
  const isRated = sent !== null || (mark > 0 && above % 2n === 1n)
  return { value, ordinal, mark, isRated, fiat: sent && fractionText(sent) }
}

/** Bound of a cursor, independent of the names and amounts on the chain. */
const nameCodePointsMax = 64
const cursorCharactersMax = 1_000

/**
 * A contract chooses its name, and each code point takes up to 12 characters of a query: whole
 * names would make next pages that are refused (414). Half surrogates cannot be sent at all.
 */
function cursorName(name: string, charactersLeft: number): string {
  const points = [...name].slice(0, nameCodePointsMax)
  const cut = (count: number) => Buffer.from(points.slice(0, count).join('')).toString()
  let count = points.length
  while (count > 0 && new URLSearchParams([['', cut(count)]]).toString().length > charactersLeft) {
    count -= 1
  }
  return cut(count)
}

/** A page and the hour of the rates that order it. */
interface Shown extends ReturnType<typeof pageRequest> {
  readonly hour: number
}

function cursorAfter(
  last: ListedBalance,
  { standards: chosen, size, hour }: Shown,
  lookups: Lookups,
) {
  const { name, type } = tokenAt(last.token, standardAt(last.standard), lookups)
  const above = 2n * BigInt(markOf(hour)) + (last.fiat === null ? 0n : 1n)
  const cursor = {
    ...forms.typeKey(chosen, standards),
    fiat_value: last.fiat && fractionText(last.fiat),
    id: Number(above * ordinalsEnd + BigInt(last.ordinal)),
    items_count: size,
    value: last.value.toString(),
    token_name: name === null ? null : '',
    token_type: type,
  }
  const texts = Object.entries(cursor).map(([key, value]): [string, string] => [key, `${value}`])
  const charactersLeft = cursorCharactersMax - new URLSearchParams(texts).toString().length
  return { ...cursor, token_name: name === null ? null : cursorName(name, charactersLeft) }
}

/** Items may be repeated or missing, as the rates of the previous pages have expired. */
const orderChanged = { 'x-order-changed': 'rates' }

export const tokensOfAddressRoute = ofAddress.list({
  path: '/api/v2/addresses/{address_hash}/tokens',
  mayBeUnknown: false,
  operationId: 'tokensOfAddress',
  example: { what: 'tokens an address holds', of: 'recipients' },
  summary: 'Token balances of an address, by fiat value, then by amount',
  description:
    'First balances with a fiat value, the greatest first, then the others by amount. The order ' +
    'is by the rates of the last full hour of the chain and does not change between pages.',
  headers: ['x-order-changed'],
  body: tokenBalancesBody,
  parameters,
  pageRequest,
  async list({ subject: holder, requested: { standards, after, size } }, reader) {
    const isByRatesOfNow = after?.isRated === true && after.mark === 0
    const ordering = await reader.ordering(isByRatesOfNow ? null : after)
    const { hour, isChanged } = ordering
    const list = { holder, standards, after, limit: size + 1 }
    return { rows: await balancesInOrder(reader, ordering, list), hour, isChanged }
  },
  hydrate: balanceReferences,
  present: {
    item: (row, { lookups }) => balanceObject(row, lookups),
    cursorAfter: ({ last }, { requested, skeleton: { hour }, lookups }) =>
      cursorAfter(last, { ...requested, hour }, lookups),
    options: (_, { isChanged }) => (isChanged ? { headers: orderChanged } : {}),
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
