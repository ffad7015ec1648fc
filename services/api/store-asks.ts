import type { Address } from '../../libs/chain/hex.ts'
import type { Store } from '../../libs/ports/store.ts'
import { addressFactsOf, instanceFactsOf, tokenFactsOf } from '../../libs/presenters/facts.ts'
import { labelsOfAddresses } from '../../libs/queries/address-labels.ts'
import { addressStates } from '../../libs/queries/addresses.ts'
import { firstTransfersOf } from '../../libs/queries/first-transfers.ts'
import { holdersOfToken } from '../../libs/queries/holders-of-token.ts'
import { metadataOfInstances } from '../../libs/queries/instance-metadata.ts'
import { instancesByKey } from '../../libs/queries/instances.ts'
import { logsOfAddress } from '../../libs/queries/logs-of-address.ts'
import { logsOfTransaction } from '../../libs/queries/logs-of-transaction.ts'
import { nftsOfAddress } from '../../libs/queries/nfts-of-address.ts'
import { pricesAt } from '../../libs/queries/prices.ts'
import { marketOfTokens } from '../../libs/queries/token-market.ts'
import { tokenStates } from '../../libs/queries/tokens.ts'
import { balancesOfAddress } from '../../libs/queries/tokens-of-address.ts'
import { placesOfTransactions } from '../../libs/queries/transaction-places.ts'
import { transactionsByHash } from '../../libs/queries/transactions.ts'
import { transactionsOfAddress } from '../../libs/queries/transactions-of-address.ts'
import { transfersOfToken } from '../../libs/queries/transfers-of-token.ts'
import { transfersOfTransaction } from '../../libs/queries/transfers-of-transaction.ts'
import type { Asks } from './asks.ts'

/** What the answers ask, asked of the tables. */
export const storeAsks = (store: Store): Asks => ({
  balancesOfAddress: (asked) => balancesOfAddress(store, asked),
  transactionsOfAddress: (asked) => transactionsOfAddress(store, asked),
  nftsOfAddress: (asked) => nftsOfAddress(store, asked),
  transfersOfToken: (asked) => transfersOfToken(store, asked),
  logsOfAddress: (asked) => logsOfAddress(store, asked),
  transfersOfTransaction: (asked) => transfersOfTransaction(store, asked),
  holdersOfToken: (asked) => holdersOfToken(store, asked),
  tokenStates: (tokens) => tokenStates(store, tokens),
  addressStates: (addresses) => addressStates(store, addresses),
  instanceStates: (keys) => instancesByKey(store, keys),
  transactions: (hashes) => transactionsByHash(store, hashes),
  places: (hashes) => placesOfTransactions(store, hashes),
  firstTransfers: (hashes, limitPer) => firstTransfersOf(store, hashes, limitPer),
  logsOfTransaction: (hash, limit) => logsOfTransaction(store, hash, limit),
  tokenFacts: async (tokens) => each(await marketOfTokens(store, tokens), tokenFactsOf),
  addressFacts: async (addresses: readonly Address[]) =>
    each(await labelsOfAddresses(store, addresses), addressFactsOf),
  instanceFacts: async (keys) => each(await metadataOfInstances(store, keys), instanceFactsOf),
  coinPrices: (moments) => pricesAt(store, moments),
})

const each = <K, R, V>(found: ReadonlyMap<K, R>, of: (row: R) => V): ReadonlyMap<K, V> =>
  new Map([...found].map(([key, row]) => [key, of(row)]))
