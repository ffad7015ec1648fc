import type { AbiEntry } from '../../../libs/chain/abi-entry.ts'
import type { Address, Hash, Hex } from '../../../libs/chain/hex.ts'
import type { Standard } from '../../../libs/chain/token.ts'
import type { AddressFacts, InstanceFacts, TokenFacts } from '../../../libs/presenters/facts.ts'
import type { LogRow } from '../../../libs/presenters/log.ts'
import type { TransactionRow } from '../../../libs/presenters/transaction-row.ts'
import type { TransferRow } from '../../../libs/presenters/transfer.ts'
import type { AbiKey } from '../../../libs/queries/contract-abis.ts'
import type { InstanceKey } from '../../../libs/queries/instances.ts'
import type { TransactionPlace } from '../../../libs/queries/transaction-places.ts'
import type { StandardFilter, TransferPlace } from '../../../libs/queries/transfers-of-standards.ts'
import type { addressState } from '../../../libs/tables/address-state.ts'
import type { balances } from '../../../libs/tables/balances.ts'
import type { balancesByValue } from '../../../libs/tables/balances-by-value.ts'
import type { holders } from '../../../libs/tables/holders.ts'
import type { instances } from '../../../libs/tables/instances.ts'
import type { nftsByOwner } from '../../../libs/tables/nfts-by-owner.ts'
import type { Row } from '../../../libs/tables/table.ts'
import type { tokenState } from '../../../libs/tables/token-state.ts'
import type { LargeLoad } from '../pages/large-loads.ts'

export interface LogPlace {
  readonly blockNumber: number
  readonly logIndex: number
}

type BalanceRow = Row<typeof balancesByValue>
type Rows<R> = Promise<readonly R[]>
type Found<K, R> = Promise<ReadonlyMap<K, R>>

/** What all asks of one answer share. */
export interface ReadContext {
  /** They are given up, with its reason, once it aborts. */
  readonly signal?: AbortSignal | undefined
  /** What it has to ask for before it reads large results; without it, nothing. */
  readonly large?: Pick<LargeLoad, 'isLarge' | 'acquire'>
  /** Whether a replica has answered that lacks what was announced: nothing of it may be cached. */
  isBehind: boolean
}

/** The asks of one answer. */
export type ReadsFor = (context: ReadContext) => Reads

/**
 * All that the answers ask of the tables; tests answer these themselves. Null `after` = start;
 * asking for no keys costs nothing.
 */
export interface Reads {
  readonly balancesOfAddress: (options: {
    holder: Address
    standards: readonly Standard[]
    after: { value: bigint; ordinal: number } | null
    limit: number
    /** Those of some rows that belong into the list; all by default. */
    listed?: (rows: readonly BalanceRow[]) => Promise<readonly BalanceRow[]>
  }) => Rows<BalanceRow>
  /** Fungible parts of those of some tokens that an address holds. */
  readonly ratedBalancesOfAddress: (options: {
    holder: Address
    tokens: readonly Address[]
  }) => Rows<Row<typeof balances>>
  /** By token; null where they are not there: not yet, not any more, or not all of them. */
  readonly ratesOfHour: (hour: number) => Promise<ReadonlyMap<Address, string> | null>
  readonly transactionsOfAddress: (options: {
    address: Address
    filter: 'from' | 'to' | null
    sort: 'block_number' | 'value' | 'fee'
    order: 'asc' | 'desc'
    after: { blockNumber: number; index: number; value?: bigint; fee?: bigint } | null
    limit: number
    /** Fewer rows where their inputs fill so many bytes; the last one need not fit. */
    bytesMax?: number
  }) => Rows<TransactionRow>
  readonly nftsOfAddress: (options: {
    owner: Address
    standards: readonly Standard[]
    after: { standard: Standard; token: Address; tokenId: bigint } | null
    limit: number
  }) => Rows<Row<typeof nftsByOwner>>
  readonly transfersOfToken: (options: {
    token: Address
    after: (LogPlace & { batchIndex: number | null }) | null
    limit: number
  }) => Rows<TransferRow>
  readonly logsOfAddress: (options: {
    address: Address
    topic: Hash | null
    after: LogPlace | null
    limit: number
    /** The same of their data. */
    bytesMax?: number
  }) => Rows<LogRow>
  readonly transfersOfTransaction: (options: {
    hash: Hash
    filter: StandardFilter | null
    after: TransferPlace | null
    limit: number
  }) => Rows<TransferRow>
  readonly holdersOfToken: (options: {
    token: Address
    after: { value: bigint; holder: Address; tokenId: bigint | null } | null
    limit: number
  }) => Rows<Row<typeof holders>>

  readonly tokenStates: (tokens: readonly Address[]) => Found<Address, Row<typeof tokenState>>
  readonly addressStates: (
    addresses: readonly Address[],
  ) => Found<Address, Row<typeof addressState>>
  /** By `instanceKey`. */
  readonly instanceStates: (ids: readonly InstanceKey[]) => Found<string, Row<typeof instances>>
  readonly transactions: (hashes: readonly Hash[]) => Found<Hash, TransactionRow>
  /** Where transactions lie: for all that does not show them. */
  readonly places: (hashes: readonly Hash[]) => Found<Hash, TransactionPlace>
  readonly firstTransfers: (
    hashes: readonly Hash[],
    limitPer: number,
  ) => Found<Hash, readonly TransferRow[]>
  readonly logsOfTransaction: (hash: Hash, limit: number) => Rows<LogRow>

  readonly tokenFacts: (tokens: readonly Address[]) => Found<Address, TokenFacts>
  readonly addressFacts: (addresses: readonly Address[]) => Found<Address, AddressFacts>
  readonly instanceFacts: (ids: readonly InstanceKey[]) => Found<string, InstanceFacts>
  /** Of the ABIs that contracts have now. */
  readonly abiEntries: (keys: readonly AbiKey[]) => Found<AbiKey, AbiEntry>
  /** Of selectors, whoever has them, in the order in which they are tried. */
  readonly signatures: (selectors: readonly Hex[]) => Found<Hex, readonly AbiEntry[]>
  /** Of `now` and of days, YYYY-MM-DD. */
  readonly coinPrices: (moments: readonly string[]) => Found<string, string>
}
