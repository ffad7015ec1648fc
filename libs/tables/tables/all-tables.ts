import { contractAbis, signatures } from './abis.ts'
import { addressLabels, addressState } from './addresses.ts'
import { balances, balancesByValue } from './balances.ts'
import { holders } from './holders.ts'
import { instanceMetadata, instances, nftsByOwner } from './instances.ts'
import { logsByAddress, logsByTopic, logsByTransaction } from './logs.ts'
import { prices } from './prices.ts'
import { progress } from './progress.ts'
import { tokenMarket, tokenRates, tokenState } from './tokens.ts'
import {
  transactions,
  transactionsByAddress,
  transactionsByFee,
  transactionsByValue,
} from './transactions.ts'
import { transfersByToken, transfersByTransaction } from './transfers.ts'

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
