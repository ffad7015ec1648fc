import type { Address, Hash, Hex } from './hex.ts'
import type {
  AuthorizationSignature,
  CallPlace,
  HeaderFields,
  TransactionExtras,
} from './node-fields.ts'
import type { TokenMetadata } from './token.ts'

/** The last second of the year 9999: ISO 8601 has four digits for a year, and so have clients. */
export const timestampMax = 253_402_300_799

/** A block with all that a source says of it. Amounts in wei, times in seconds. */
export interface Block extends HeaderFields {
  readonly number: number
  readonly hash: Hash
  readonly parentHash: Hash
  /** Unix time in seconds, from the block header. */
  readonly timestamp: number
  /** Null where the source does not hold the parent. */
  readonly parentTimestamp: number | null
  readonly miner: Address
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  /** Null before London. */
  readonly baseFeePerGas: bigint | null
  /** Addresses whose logs are the coin's own (EIP-7708); absent for the system address alone. */
  readonly coinEmitters?: readonly Address[] | undefined
  readonly transactions: readonly Transaction[]
}

/** A transaction with its receipt. */
export interface Transaction extends TransactionExtras {
  readonly hash: Hash
  readonly index: number
  /** EIP-2718 type; 0 for legacy. */
  readonly type: number
  readonly from: Address
  /** Null for a creation. */
  readonly to: Address | null
  readonly nonce: number
  readonly value: bigint
  readonly input: Hex
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  /** Effective price, wei. */
  readonly gasPrice: bigint
  readonly maxFeePerGas: bigint | null
  readonly maxPriorityFeePerGas: bigint | null
  /** Null in receipts older than Byzantium. */
  readonly status: 0 | 1 | null
  /** The contract that a successful creation made. */
  readonly createdContract: Address | null
  /** What a failed transaction returned, if the source knows it. */
  readonly revertReason: Hex | null
  /** The error's text as a tracer gives it, if the source knows it. */
  readonly error: string | null
  readonly authorizations: readonly Authorization[]
  readonly logs: readonly TransactionLog[]
  /** Null where the source has no traces. */
  readonly calls: readonly Call[] | null
}

/** EIP-7702: an account that lets `delegate`'s code run as its own; the zero address ends it. */
export interface Authorization {
  readonly chainId: bigint
  readonly nonce: bigint
  readonly delegate: Address
  /** Recovered from the signature; null if it cannot be. */
  readonly authority: Address | null
  /** Its parity may be any number of a byte: such an authorization is valid for no account. */
  readonly signature: AuthorizationSignature | null
}

export interface TransactionLog {
  /** Unique in its block. */
  readonly index: number
  readonly address: Address
  readonly topics: readonly Hash[]
  readonly data: Hex
}

/** An inner call, without input and output. */
export interface Call extends CallPlace {
  readonly type: string
  readonly from: Address
  readonly to: Address | null
  readonly value: bigint
  readonly error: string | null
  readonly selector: Hex | null
}

/** Values of the state after a block; amounts in smallest units. */
export interface Observation {
  readonly block: number
  readonly hash: Hash
  readonly balances: readonly {
    token: Address
    holder: Address
    tokenId: bigint | null
    value: bigint
  }[]
  readonly supplies: readonly { token: Address; value: bigint }[]
  readonly owners: readonly { token: Address; tokenId: bigint; owner: Address }[]
  readonly tokens: readonly TokenMetadata[]
}
