import { holdersOfToken } from './answers/holders-of-token.ts'
import { logsOfAddress } from './answers/logs-of-address.ts'
import { nftsOfAddress } from './answers/nfts-of-address.ts'
import { summaryOfTransaction } from './answers/summary-of-transaction.ts'
import { tokenBalancesOfAddress } from './answers/token-balances-of-address.ts'
import { tokenOfAddress } from './answers/token-of-address.ts'
import { tokensOfAddress } from './answers/tokens-of-address.ts'
import { transactionsOfAddress } from './answers/transactions-of-address.ts'
import { transfersOfToken } from './answers/transfers-of-token.ts'
import { transfersOfTransaction } from './answers/transfers-of-transaction.ts'
import type { Route } from './route.ts'

/** All that the API answers: an answer to each of `endpoints`, in their order; a test holds it. */
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
