import { abiEntries } from '../../../libs/queries/contract-abis.ts'
import { holdersOfToken } from '../../../libs/queries/holders-of-token/holders-of-token.ts'
import { instancesByKey } from '../../../libs/queries/instances/instances.ts'
import { logsOfAddress } from '../../../libs/queries/logs-of-address/logs-of-address.ts'
import { logsOfTransaction } from '../../../libs/queries/logs-of-transaction.ts'
import { nftsOfAddress } from '../../../libs/queries/nfts-of-address/nfts-of-address.ts'
import { ratedBalancesOfAddress } from '../../../libs/queries/rated-balances/rated-balances.ts'
import {
  addressStates,
  coinPrices,
  placesOfTransactions,
  tokenStates,
  transactionsByHash,
} from '../../../libs/queries/rows-by-key/rows-by-key.ts'
import { signatureEntries } from '../../../libs/queries/signatures.ts'
import {
  addressLabelSubjects,
  addressStateSubjects,
  contractAbiSubjects,
  tokenMarketSubjects,
} from '../../../libs/queries/subjects.ts'
import { ratesOfHour } from '../../../libs/queries/token-rates.ts'
import { allBalancesOfAddress } from '../../../libs/queries/tokens-of-address/all-balances-of-address.ts'
import { balancesOfAddress } from '../../../libs/queries/tokens-of-address/tokens-of-address.ts'
import { transactionsOfAddress } from '../../../libs/queries/transactions-of-address/transactions-of-address.ts'
import { transfersOfToken } from '../../../libs/queries/transfers-of-token.ts'
import { transfersOfTransaction } from '../../../libs/queries/transfers-of-transaction/transfers-of-transaction.ts'
import { addressFacts, instanceFacts, tokenFacts } from '../rows/shared-rows.ts'

/** All questions of answers, by their names: specs answer them by these. */
export const questions = {
  allBalancesOfAddress,
  balancesOfAddress,
  ratedBalancesOfAddress,
  ratesOfHour,
  transactionsOfAddress,
  nftsOfAddress,
  transfersOfToken,
  logsOfAddress,
  transfersOfTransaction,
  holdersOfToken,
  tokenStates,
  addressStates,
  instancesByKey,
  transactionsByHash,
  placesOfTransactions,
  logsOfTransaction,
  tokenFacts,
  addressFacts,
  instanceFacts,
  coinPrices,
  abiEntries,
  signatureEntries,
  addressStateSubjects,
  addressLabelSubjects,
  contractAbiSubjects,
  tokenMarketSubjects,
}
