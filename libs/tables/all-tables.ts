import { addressLabels } from './address-labels.ts'
import { addressState } from './address-state.ts'
import { balances } from './balances.ts'
import { balancesByValue } from './balances-by-value.ts'
import { contractAbis } from './contract-abis.ts'
import { holders } from './holders.ts'
import { instanceMetadata } from './instance-metadata.ts'
import { instances } from './instances.ts'
import { logsByAddress } from './logs-by-address.ts'
import { logsByTopic } from './logs-by-topic.ts'
import { logsByTransaction } from './logs-by-transaction.ts'
import { nftsByOwner } from './nfts-by-owner.ts'
import { prices } from './prices.ts'
import { progress } from './progress.ts'
import { signatures } from './signatures.ts'
import { tokenMarket } from './token-market.ts'
import { tokenRates } from './token-rates.ts'
import { tokenState } from './token-state.ts'
import { transactions } from './transactions.ts'
import { transactionsByAddress } from './transactions-by-address.ts'
import { transactionsByFee } from './transactions-by-fee.ts'
import { transactionsByValue } from './transactions-by-value.ts'
import { transfersByToken } from './transfers-by-token.ts'
import { transfersByTransaction } from './transfers-by-transaction.ts'

/** The index of all tables, in the order of STORE.md. */
export const allTables = [
  logsByAddress,
  logsByTopic,
  logsByTransaction,
  transfersByToken,
  transfersByTransaction,
  transactionsByAddress,
  transactionsByValue,
  transactionsByFee,
  transactions,
  addressState,
  instances,
  balances,
  balancesByValue,
  holders,
  nftsByOwner,
  tokenState,
  tokenMarket,
  tokenRates,
  instanceMetadata,
  addressLabels,
  contractAbis,
  signatures,
  prices,
  progress,
] as const

/** Tables whose rows folds make: all but `progress`, which records how far the folds are. */
export const foldedTables = allTables.filter((table) => table !== progress)

/** Tables whose rows are in the shared cache, too. */
export const cachedTables = allTables.filter(({ isCached = false }) => isCached)
