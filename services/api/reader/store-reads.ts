import type { AbiEntry } from '../../../libs/chain/abi-entry.ts'
import { parseAbiEntry } from '../../../libs/chain/abi-text.ts'
import type { Address } from '../../../libs/chain/hex.ts'
import type { Store } from '../../../libs/ports/store.ts'
import { addressFactsOf, instanceFactsOf, tokenFactsOf } from '../../../libs/presenters/facts.ts'
import { labelsOfAddresses } from '../../../libs/queries/address-labels.ts'
import { addressStates } from '../../../libs/queries/addresses.ts'
import { abisOfContracts } from '../../../libs/queries/contract-abis.ts'
import { firstTransfersOf } from '../../../libs/queries/first-transfers.ts'
import { holdersOfToken } from '../../../libs/queries/holders-of-token.ts'
import { instancesByKey, metadataOfInstances } from '../../../libs/queries/instances.ts'
import { logsOfAddress } from '../../../libs/queries/logs-of-address.ts'
import { logsOfTransaction } from '../../../libs/queries/logs-of-transaction.ts'
import { nftsOfAddress } from '../../../libs/queries/nfts-of-address.ts'
import { priceRowsAt } from '../../../libs/queries/prices.ts'
import { ratedBalancesOfAddress } from '../../../libs/queries/rated-balances.ts'
import { signaturesOf } from '../../../libs/queries/signatures.ts'
import { marketOfTokens } from '../../../libs/queries/token-market.ts'
import { ratesOfHour } from '../../../libs/queries/token-rates.ts'
import { tokenStates } from '../../../libs/queries/tokens.ts'
import { balancesOfAddress } from '../../../libs/queries/tokens-of-address.ts'
import { placesOfTransactions } from '../../../libs/queries/transaction-places.ts'
import { transactionsByHash } from '../../../libs/queries/transactions.ts'
import { transactionsOfAddress } from '../../../libs/queries/transactions-of-address.ts'
import { transfersOfToken } from '../../../libs/queries/transfers-of-token.ts'
import { transfersOfTransaction } from '../../../libs/queries/transfers-of-transaction.ts'
import { addressLabels } from '../../../libs/tables/address-labels.ts'
import { prices } from '../../../libs/tables/prices.ts'
import { type Row, sinceHole } from '../../../libs/tables/table.ts'
import { tokenMarket } from '../../../libs/tables/token-market.ts'
import { tokenState } from '../../../libs/tables/token-state.ts'
import { type ReadThroughOptions, readThrough } from '../row-cache/read-through.ts'
import { storeForAnswer } from './answer-store.ts'
import type { ReadContext, Reads, ReadsFor } from './reads.ts'
import type { ReplicaCheck } from './replica-check.ts'

/** Rows of the tables that projectors write through to the shared cache, by subject. */
const hotRowsOf = (storeOf: (context: ReadContext) => Store): HotRows => ({
  tokens: async (tokens, context) =>
    each(await tokenStates(storeOf(context), tokens), (row) => [row]),
  market: (tokens, context) => marketOfTokens(storeOf(context), tokens),
  labels: (addresses, context) => labelsOfAddresses(storeOf(context), addresses),
  prices: async (moments, context) =>
    each(await priceRowsAt(storeOf(context), moments), (row) => [row]),
})

/** The same, read through the shared cache. */
export const hotRowsReadThrough = (rows: HotRows, cache: ReadThroughOptions): HotRows => ({
  tokens: readThrough({ table: tokenState, read: rows.tokens }, cache),
  market: readThrough({ table: tokenMarket, read: rows.market }, cache),
  labels: readThrough({ table: addressLabels, read: rows.labels }, cache),
  prices: readThrough({ table: prices, read: rows.prices }, cache),
})

type RowsBy<K, R> = (
  subjects: readonly K[],
  context: ReadContext,
) => Promise<ReadonlyMap<K, readonly R[]>>

export interface HotRows {
  readonly tokens: RowsBy<Address, Row<typeof tokenState>>
  readonly market: RowsBy<Address, Row<typeof tokenMarket>>
  readonly labels: RowsBy<Address, Row<typeof addressLabels>>
  readonly prices: RowsBy<string, Row<typeof prices>>
}

const noHole = () => 0

export interface StoreReadsOptions {
  /** The shared cache in front of some tables; none by default. */
  readonly readThrough?: ReadThroughOptions | null
  /** Checks that a replica is not behind; none by default. */
  readonly check?: ReplicaCheck | null
  /** Announced position of the log's last hole; 0 without one. */
  readonly knownFrom?: () => number
}

/** Reads of the tables, some of them through the shared cache. */
export function storeReads(
  store: Store,
  { readThrough = null, check = null, knownFrom = noHole }: StoreReadsOptions = {},
): ReadsFor {
  const storeOf = (context: ReadContext) => storeForAnswer(store, context, check)
  const rows = hotRowsOf(storeOf)
  const hot = readThrough === null ? rows : hotRowsReadThrough(rows, readThrough)
  return (context) => ({
    ...listsOf(storeOf(context), knownFrom),
    ...readsOfHotRows(hot, context, knownFrom),
  })
}

export const readsOfHotRows = (hot: HotRows, context: ReadContext, knownFrom = noHole) =>
  ({
    tokenStates: async (tokens) =>
      each(
        first(await hot.tokens(tokens, context)),
        // Kept even from before a hole: a token's name does not change.
        (row) => sinceHole(tokenState, row, knownFrom()) ?? row,
      ),
    tokenFacts: async (tokens) => each(nonEmpty(await hot.market(tokens, context)), tokenFactsOf),
    addressFacts: async (addresses) =>
      each(nonEmpty(await hot.labels(addresses, context)), addressFactsOf),
    coinPrices: async (moments) =>
      each(first(await hot.prices(moments, context)), ({ price }) => price),
  }) satisfies Partial<Reads>

const listsOf = (store: Store, knownFrom: () => number) =>
  ({
    balancesOfAddress: (options) =>
      balancesOfAddress(store, { ...options, knownFrom: knownFrom() }),
    ratedBalancesOfAddress: (options) =>
      ratedBalancesOfAddress(store, { ...options, knownFrom: knownFrom() }),
    ratesOfHour: (hour) => ratesOfHour(store, hour),
    transactionsOfAddress: (options) => transactionsOfAddress(store, options),
    nftsOfAddress: (options) => nftsOfAddress(store, { ...options, knownFrom: knownFrom() }),
    transfersOfToken: (options) => transfersOfToken(store, options),
    logsOfAddress: (options) => logsOfAddress(store, options),
    transfersOfTransaction: (options) => transfersOfTransaction(store, options),
    holdersOfToken: (options) => holdersOfToken(store, { ...options, knownFrom: knownFrom() }),
    addressStates: (addresses) => addressStates(store, addresses),
    instanceStates: (keys) => instancesByKey(store, keys, knownFrom()),
    transactions: (hashes) => transactionsByHash(store, hashes),
    places: (hashes) => placesOfTransactions(store, hashes),
    firstTransfers: (hashes, limitPer) => firstTransfersOf(store, hashes, limitPer),
    logsOfTransaction: (hash, limit) => logsOfTransaction(store, hash, limit),
    abiEntries: async (keys) => entriesIn(await abisOfContracts(store, keys)),
    signatures: async (selectors) =>
      each(await signaturesOf(store, selectors), (texts) => texts.flatMap(entriesOf)),
    instanceFacts: async (keys) => each(await metadataOfInstances(store, keys), instanceFactsOf),
  }) satisfies Partial<Reads>

/** An unparsable entry counts as absent. */
const entriesOf = (text: string): readonly AbiEntry[] => {
  const entry = parseAbiEntry(text)
  return entry === null ? [] : [entry]
}

const entriesIn = <K>(texts: ReadonlyMap<K, string>): ReadonlyMap<K, AbiEntry> =>
  new Map(
    [...texts].flatMap(([key, text]) => entriesOf(text).map((entry) => [key, entry] as const)),
  )

/** Subjects with at least one row. */
const nonEmpty = <K, R>(found: ReadonlyMap<K, readonly R[]>): ReadonlyMap<K, readonly R[]> =>
  new Map([...found].filter(([, rows]) => rows.length > 0))

/** For tables with one row a subject. */
const first = <K, R>(found: ReadonlyMap<K, readonly R[]>): ReadonlyMap<K, R> =>
  new Map([...found].flatMap(([key, [row]]) => (row === undefined ? [] : [[key, row] as const])))

const each = <K, R, V>(found: ReadonlyMap<K, R>, of: (row: R) => V): ReadonlyMap<K, V> =>
  new Map([...found].map(([key, row]) => [key, of(row)]))
