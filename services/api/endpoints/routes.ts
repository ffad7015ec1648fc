import { holdersOfTokenRoute } from './holders-of-token.ts'
import { logsOfAddressRoute } from './logs-of-address.ts'
import { nftsOfAddressRoute } from './nfts-of-address.ts'
import type { Route } from './pipeline/route.ts'
import { summaryOfTransactionRoute } from './summary-of-transaction.ts'
import { tokenBalancesOfAddressRoute } from './token-balances-of-address.ts'
import { tokenOfAddressRoute } from './token-of-address.ts'
import { tokensOfAddressRoute } from './tokens-of-address.ts'
import { transactionsOfAddressRoute } from './transactions-of-address.ts'
import { transfersOfTokenRoute } from './transfers-of-token.ts'
import { transfersOfTransactionRoute } from './transfers-of-transaction.ts'

/** All endpoints of the API, in the order of the table in README.md. */
export const routes: readonly Route[] = [
  tokensOfAddressRoute,
  transactionsOfAddressRoute,
  tokenBalancesOfAddressRoute,
  nftsOfAddressRoute,
  transfersOfTokenRoute,
  logsOfAddressRoute,
  transfersOfTransactionRoute,
  holdersOfTokenRoute,
  summaryOfTransactionRoute,
  tokenOfAddressRoute,
]
