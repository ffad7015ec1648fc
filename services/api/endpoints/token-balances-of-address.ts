import { z } from 'zod'
import { standards } from '../../../libs/chain/token.ts'
import { unpagedBalancesBody } from '../../../libs/presenters/list-bodies.ts'
import { balanceObject, unpagedBalance } from '../../../libs/presenters/objects/balance.ts'
import { balancesInOrder } from './balances-in-order.ts'
import { wholeBody } from './pipeline/list-body.ts'
import { ofAddress } from './pipeline/route.ts'
import { balanceReferences } from './tokens-of-address.ts'

/** Bounds of the one list without pages; a header reports a truncated list. */
const balancesMax = 10_000
const bytesMax = 32 * 1024 * 1024

export const tokenBalancesOfAddressRoute = ofAddress.page({
  path: '/api/v2/addresses/{address_hash}/token-balances',
  mayBeUnknown: false,
  operationId: 'tokenBalancesOfAddress',
  example: { what: 'all its token balances', of: 'recipients' },
  summary: 'All token balances of an address',
  description:
    `The list of tokensOfAddress without pages, at most ${balancesMax} items or ` +
    `${bytesMax / 1024 / 1024} MiB: x-truncated says that it was cut.`,
  headers: ['x-truncated'],
  body: unpagedBalancesBody,
  parameters: z.object({}),
  pageRequest: () => ({}),
  async list({ subject: holder }, reader) {
    const all = { holder, standards, after: null, limit: balancesMax + 1 }
    const found = await balancesInOrder(reader, await reader.ordering(null), all)
    return { rows: found.slice(0, balancesMax), found: found.length }
  },
  hydrate: balanceReferences,
  async present({ skeleton: { found }, shown, lookups, publishedTypes }) {
    const object = publishedTypes ? balanceObject : unpagedBalance
    const { template, count } = await wholeBody(shown, (row) => object(row, lookups), bytesMax)
    return count === found ? { template } : { template, headers: { 'x-truncated': String(count) } }
  },
})
