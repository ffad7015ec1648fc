import { addressLabels } from '../tables/address-labels.ts'
import { addressState } from '../tables/address-state.ts'
import { balances } from '../tables/balances.ts'
import { balancesByValue } from '../tables/balances-by-value.ts'
import { blocks } from '../tables/blocks.ts'
import { contractAbis } from '../tables/contract-abis.ts'
import { holders } from '../tables/holders.ts'
import { instanceMetadata } from '../tables/instance-metadata.ts'
import { instances } from '../tables/instances.ts'
import { logsByAddress } from '../tables/logs-by-address.ts'
import { logsByTopic } from '../tables/logs-by-topic.ts'
import { logsByTransaction } from '../tables/logs-by-transaction.ts'
import { nftsByOwner } from '../tables/nfts-by-owner.ts'
import { prices } from '../tables/prices.ts'
import { progress } from '../tables/progress.ts'
import { signatures } from '../tables/signatures.ts'
import { storePage } from '../tables/store-page.ts'
import { tokenMarket } from '../tables/token-market.ts'
import { tokenRates } from '../tables/token-rates.ts'
import { tokenState } from '../tables/token-state.ts'
import { transactions } from '../tables/transactions.ts'
import { transactionsByAddress } from '../tables/transactions-by-address.ts'
import { transactionsByFee } from '../tables/transactions-by-fee.ts'
import { transactionsByValue } from '../tables/transactions-by-value.ts'
import { transfersByToken } from '../tables/transfers-by-token.ts'
import { transfersByTransaction } from '../tables/transfers-by-transaction.ts'

/**
 * The only index of read models, in the order in which a flush writes them: rows that declare the
 * existence of a thing come last, so that no reader finds it without its parts.
 */
export const readModels = [
  { table: blocks, version: 1 },
  { table: logsByAddress, version: 1 },
  { table: logsByTopic, version: 1 },
  { table: logsByTransaction, version: 1 },
  { table: transfersByToken, version: 1 },
  { table: transfersByTransaction, version: 1 },
  { table: transactionsByAddress, version: 1 },
  { table: transactionsByValue, version: 1 },
  { table: transactionsByFee, version: 1 },
  { table: transactions, version: 1 },
  { table: addressState, version: 1 },
  { table: instances, version: 1 },
  { table: balances, version: 1 },
  { table: balancesByValue, version: 1 },
  { table: holders, version: 1 },
  { table: nftsByOwner, version: 1 },
  { table: tokenState, version: 1 },
  { table: tokenMarket, version: 1 },
  { table: tokenRates, version: 1 },
  { table: instanceMetadata, version: 1 },
  { table: addressLabels, version: 1 },
  { table: contractAbis, version: 1 },
  { table: signatures, version: 1 },
  { table: prices, version: 1 },
  { table: progress, version: 1 },
] as const

/** `libs/tables/STORE.md` as it must be now. */
export const printStore = (): string => storePage(readModels)
