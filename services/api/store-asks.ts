import type { AbiEntry } from '../../libs/chain/abi-entry.ts'
import { parseAbiEntry } from '../../libs/chain/abi-text.ts'
import type { Address } from '../../libs/chain/hex.ts'
import type { Store } from '../../libs/ports/store.ts'
import { addressFactsOf, instanceFactsOf, tokenFactsOf } from '../../libs/presenters/facts.ts'
import { labelsOfAddresses } from '../../libs/queries/address-labels.ts'
import { addressStates } from '../../libs/queries/addresses.ts'
import { abisOfContracts } from '../../libs/queries/contract-abis.ts'
import { firstTransfersOf } from '../../libs/queries/first-transfers.ts'
import { holdersOfToken } from '../../libs/queries/holders-of-token.ts'
import { metadataOfInstances } from '../../libs/queries/instance-metadata.ts'
import { instancesByKey } from '../../libs/queries/instances.ts'
import { logsOfAddress } from '../../libs/queries/logs-of-address.ts'
import { logsOfTransaction } from '../../libs/queries/logs-of-transaction.ts'
import { nftsOfAddress } from '../../libs/queries/nfts-of-address.ts'
import { priceRowsAt } from '../../libs/queries/prices.ts'
import { ratedBalancesOfAddress } from '../../libs/queries/rated-balances.ts'
import { signaturesOf } from '../../libs/queries/signatures.ts'
import { marketOfTokens } from '../../libs/queries/token-market.ts'
import { ratesOfHour } from '../../libs/queries/token-rates.ts'
import { tokenStates } from '../../libs/queries/tokens.ts'
import { balancesOfAddress } from '../../libs/queries/tokens-of-address.ts'
import { placesOfTransactions } from '../../libs/queries/transaction-places.ts'
import { transactionsByHash } from '../../libs/queries/transactions.ts'
import { transactionsOfAddress } from '../../libs/queries/transactions-of-address.ts'
import { transfersOfToken } from '../../libs/queries/transfers-of-token.ts'
import { transfersOfTransaction } from '../../libs/queries/transfers-of-transaction.ts'
import { addressLabels } from '../../libs/tables/address-labels.ts'
import { prices } from '../../libs/tables/prices.ts'
import { type Row, sinceHole } from '../../libs/tables/table.ts'
import { tokenMarket } from '../../libs/tables/token-market.ts'
import { tokenState } from '../../libs/tables/token-state.ts'
import type { Asks, AsksFor, Reading } from './asks.ts'
import type { ReplicaCheck } from './replica-check.ts'
import { storeOfAnswer } from './store-of-answer.ts'
import { type Through, throughCache } from './through-cache.ts'

/** Rows of the tables that projectors write through, by subject. */
const hotRowsOf = (storeOf: (reading: Reading) => Store): HotRows => ({
  tokens: async (tokens, reading) =>
    each(await tokenStates(storeOf(reading), tokens), (row) => [row]),
  market: (tokens, reading) => marketOfTokens(storeOf(reading), tokens),
  labels: (addresses, reading) => labelsOfAddresses(storeOf(reading), addresses),
  prices: async (moments, reading) =>
    each(await priceRowsAt(storeOf(reading), moments), (row) => [row]),
})

/** The same, looked for in the shared cache first. */
export const hotThrough = (rows: HotRows, through: Through): HotRows => ({
  tokens: throughCache({ table: tokenState, ask: rows.tokens }, through),
  market: throughCache({ table: tokenMarket, ask: rows.market }, through),
  labels: throughCache({ table: addressLabels, ask: rows.labels }, through),
  prices: throughCache({ table: prices, ask: rows.prices }, through),
})

type RowsBy<K, R> = (
  subjects: readonly K[],
  reading: Reading,
) => Promise<ReadonlyMap<K, readonly R[]>>

export interface HotRows {
  readonly tokens: RowsBy<Address, Row<typeof tokenState>>
  readonly market: RowsBy<Address, Row<typeof tokenMarket>>
  readonly labels: RowsBy<Address, Row<typeof addressLabels>>
  readonly prices: RowsBy<string, Row<typeof prices>>
}

const noHole = () => 0

export interface StoreAsksOptions {
  /** Where some rows are looked for before; nowhere by default. */
  readonly through?: Through | null
  /** Where several replicas may answer; none by default. */
  readonly check?: ReplicaCheck | null
  /** Position of the log's last hole, as far as it was announced; 0 without one. */
  readonly knownFrom?: () => number
}

/** What the answers ask, asked of the tables; of some rows, of the shared cache before. */
export function storeAsks(
  store: Store,
  { through = null, check = null, knownFrom = noHole }: StoreAsksOptions = {},
): AsksFor {
  const storeOf = (reading: Reading) => storeOfAnswer(store, reading, check)
  const rows = hotRowsOf(storeOf)
  const hot = through === null ? rows : hotThrough(rows, through)
  return (reading) => ({
    ...listsOf(storeOf(reading), knownFrom),
    ...asksOfHot(hot, reading, knownFrom),
  })
}

export const asksOfHot = (hot: HotRows, reading: Reading, knownFrom = noHole) =>
  ({
    tokenStates: async (tokens) =>
      each(
        first(await hot.tokens(tokens, reading)),
        // Never gone: what it is called stays known.
        (row) => sinceHole(tokenState, row, knownFrom()) ?? row,
      ),
    tokenFacts: async (tokens) => each(stated(await hot.market(tokens, reading)), tokenFactsOf),
    addressFacts: async (addresses) =>
      each(stated(await hot.labels(addresses, reading)), addressFactsOf),
    coinPrices: async (moments) =>
      each(first(await hot.prices(moments, reading)), ({ price }) => price),
  }) satisfies Partial<Asks>

const listsOf = (store: Store, knownFrom: () => number) =>
  ({
    balancesOfAddress: (asked) => balancesOfAddress(store, { ...asked, knownFrom: knownFrom() }),
    ratedBalancesOfAddress: (asked) =>
      ratedBalancesOfAddress(store, { ...asked, knownFrom: knownFrom() }),
    ratesOfHour: (hour) => ratesOfHour(store, hour),
    transactionsOfAddress: (asked) => transactionsOfAddress(store, asked),
    nftsOfAddress: (asked) => nftsOfAddress(store, { ...asked, knownFrom: knownFrom() }),
    transfersOfToken: (asked) => transfersOfToken(store, asked),
    logsOfAddress: (asked) => logsOfAddress(store, asked),
    transfersOfTransaction: (asked) => transfersOfTransaction(store, asked),
    holdersOfToken: (asked) => holdersOfToken(store, { ...asked, knownFrom: knownFrom() }),
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
  }) satisfies Partial<Asks>

/** What does not read counts as absent. */
const entriesOf = (text: string): readonly AbiEntry[] => {
  const entry = parseAbiEntry(text)
  return entry === null ? [] : [entry]
}

const entriesIn = <K>(texts: ReadonlyMap<K, string>): ReadonlyMap<K, AbiEntry> =>
  new Map(
    [...texts].flatMap(([key, text]) => entriesOf(text).map((entry) => [key, entry] as const)),
  )

/** Subjects of which there is anything. */
const stated = <K, R>(found: ReadonlyMap<K, readonly R[]>): ReadonlyMap<K, readonly R[]> =>
  new Map([...found].filter(([, rows]) => rows.length > 0))

/** Of tables in which a subject has one row. */
const first = <K, R>(found: ReadonlyMap<K, readonly R[]>): ReadonlyMap<K, R> =>
  new Map([...found].flatMap(([key, [row]]) => (row === undefined ? [] : [[key, row] as const])))

const each = <K, R, V>(found: ReadonlyMap<K, R>, of: (row: R) => V): ReadonlyMap<K, V> =>
  new Map([...found].map(([key, row]) => [key, of(row)]))
