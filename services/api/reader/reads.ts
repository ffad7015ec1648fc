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

/** What all reads of one answer share. */
export interface ReadContext {
  /** Cancels the reads, which reject with its reason. */
  readonly signal?: AbortSignal | undefined
  /** The slot to acquire before reading large results; none needed without it. */
  readonly large?: Pick<LargeLoad, 'isLarge' | 'acquire'>
  /** Whether rows came from a replica behind what was announced: they must not be cached. */
  isBehind: boolean
}

/** The reads of one answer. */
export type ReadsFor = (context: ReadContext) => Reads

/**
 * Everything that answers read from the tables; tests provide fakes. `after` null: from the start;
 * reading no keys sends no query.
 */
export interface Reads {
  readonly balancesOfAddress: (options: {
    holder: Address
    standards: readonly Standard[]
    after: { value: bigint; ordinal: number } | null
    limit: number
    /** Filters rows that belong in the list; all by default. */
    listed?: (rows: readonly BalanceRow[]) => Promise<readonly BalanceRow[]>
  }) => Rows<BalanceRow>
  /** Fungible balances of an address in the given tokens. */
  readonly ratedBalancesOfAddress: (options: {
    holder: Address
    tokens: readonly Address[]
  }) => Rows<Row<typeof balances>>
  /** By token; null if not available: not yet, no longer, or incomplete. */
  readonly ratesOfHour: (hour: number) => Promise<ReadonlyMap<Address, string> | null>
  readonly transactionsOfAddress: (options: {
    address: Address
    filter: 'from' | 'to' | null
    sort: 'block_number' | 'value' | 'fee'
    order: 'asc' | 'desc'
    after: { blockNumber: number; index: number; value?: bigint; fee?: bigint } | null
    limit: number
    /** Ends early once the inputs of the rows exceed it; the last row may exceed it. */
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
    /** The same for the data of the rows. */
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
  /** Blocks and indexes of transactions, without their other columns. */
  readonly places: (hashes: readonly Hash[]) => Found<Hash, TransactionPlace>
  readonly firstTransfers: (
    hashes: readonly Hash[],
    limitPer: number,
  ) => Found<Hash, readonly TransferRow[]>
  readonly logsOfTransaction: (hash: Hash, limit: number) => Rows<LogRow>

  readonly tokenFacts: (tokens: readonly Address[]) => Found<Address, TokenFacts>
  readonly addressFacts: (addresses: readonly Address[]) => Found<Address, AddressFacts>
  readonly instanceFacts: (ids: readonly InstanceKey[]) => Found<string, InstanceFacts>
  /** Entries of the contracts' current ABIs. */
  readonly abiEntries: (keys: readonly AbiKey[]) => Found<AbiKey, AbiEntry>
  /** Well-known signatures of selectors, in the order in which they are tried. */
  readonly signatures: (selectors: readonly Hex[]) => Found<Hex, readonly AbiEntry[]>
  /** Keys: `now` and days, YYYY-MM-DD. */
  readonly coinPrices: (moments: readonly string[]) => Found<string, string>
}
