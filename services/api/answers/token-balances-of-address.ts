import { standards } from '../../../libs/chain/token.ts'
import { unpagedBalance } from '../../../libs/presenters/balance.ts'
import { tokenBalancesOfAddress as endpoint } from '../../../libs/presenters/endpoints.ts'
import { addressRoute, cut } from '../route.ts'
import { balanceNeeds } from './tokens-of-address.ts'

/** Rows of the one list without pages; what is left out is told by a header. */
const balancesMax = 10_000

export const tokenBalancesOfAddress = addressRoute({
  endpoint,
  pageAsked: () => ({}),
  answer: async ({ subject }, reader) => {
    const rows = await reader.asks.balancesOfAddress({
      holder: subject,
      standards,
      after: null,
      limit: balancesMax + 1,
    })
    const { shown, more } = cut(rows, balancesMax)
    const known = await reader.know(balanceNeeds(shown))
    const body = shown.map((row) => unpagedBalance(row, known))
    return more === null ? { body } : { body, headers: { 'x-truncated': String(balancesMax) } }
  },
})
