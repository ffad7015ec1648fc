import { holdersOfToken } from './holders-of-token.ts'
import { logsOfAddress } from './logs-of-address.ts'
import { nftsOfAddress } from './nfts-of-address.ts'
import type { Route } from './route.ts'
import { summaryOfTransaction } from './summary-of-transaction.ts'
import { tokenBalancesOfAddress } from './token-balances-of-address.ts'
import { tokenOfAddress } from './token-of-address.ts'
import { tokensOfAddress } from './tokens-of-address.ts'
import { transactionsOfAddress } from './transactions-of-address.ts'
import { transfersOfToken } from './transfers-of-token.ts'
import { transfersOfTransaction } from './transfers-of-transaction.ts'

/** All routes of the API: one for each of `endpoints`, in the same order, which a test checks. */
export const routes: readonly Route[] = [
  tokensOfAddress,
  transactionsOfAddress,
  tokenBalancesOfAddress,
  nftsOfAddress,
  transfersOfToken,
  logsOfAddress,
  transfersOfTransaction,
  holdersOfToken,
  summaryOfTransaction,
  tokenOfAddress,
]
