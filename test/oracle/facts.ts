/**
 * The bare facts that identify and check an item of a list: as the oracle computes them, and as
 * they are read out of a body. Addresses in lower case, amounts as decimal text.
 */
export interface BalanceFact {
  readonly token: string
  readonly token_id: string | null
  readonly token_type: string
  readonly value: string
}

export interface TransactionFact {
  readonly hash: string
  readonly block_number: number
  readonly position: number
  readonly nonce: number
  readonly type: number
  readonly from: string
  readonly to: string | null
  readonly created_contract: string | null
  readonly status: string | null
  readonly value: string
  readonly fee: string
  readonly gas_used: string
  readonly transaction_types: readonly string[]
  /** `log_index token_id value` of the first ten. */
  readonly token_transfers: readonly string[]
  readonly token_transfers_overflow: boolean
}

export interface TransferFact {
  readonly transaction_hash: string
  readonly block_number: number
  readonly log_index: number
  readonly token: string
  readonly token_type: string
  readonly from: string
  readonly to: string
  readonly type: string
  readonly token_id: string | null
  readonly value: string
}

export interface LogFact {
  readonly address: string
  readonly transaction_hash: string
  readonly block_number: number
  readonly index: number
  readonly data: string
  readonly topics: readonly (string | null)[]
}

export interface NftFact {
  readonly token: string
  readonly id: string
  readonly token_type: string
  readonly value: string
}

export interface HolderFact {
  readonly address: string
  readonly token_id: string | null
  readonly value: string
}

export interface TokenFact {
  readonly address: string
  readonly type: string
  readonly name: string | null
  readonly symbol: string | null
  readonly decimals: string | null
  readonly holders_count: string | null
  readonly total_supply: string | null
}
