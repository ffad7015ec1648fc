import type { Address } from './hex.ts'

/** Known by the events of their contracts; a fork that kept them counts as its original. */
export const protocols = ['aave_v2', 'aave_v3', 'uniswap_v2', 'uniswap_v3'] as const
export type Protocol = (typeof protocols)[number]

export const lendingTypes = ['supply', 'borrow', 'repay', 'withdraw', 'liquidation_call'] as const
export const poolTypes = ['mint', 'burn', 'collect', 'swap'] as const
export type LendingType = (typeof lendingTypes)[number]
export type PoolType = (typeof poolTypes)[number]

/** Actions kept of a transaction, the first ones: routers and bots make hundreds. */
export const actionsPerTransactionMax = 32

/** An amount of a token in smallest units, never below zero. */
export interface Sum {
  readonly token: Address
  readonly amount: bigint
}

/**
 * What a transaction did with a protocol, decoded from one log. Sums: one for lending; debt and
 * collateral for a liquidation; those of both tokens for a pool, in the order of the pool; the
 * amount paid and the amount received for a swap.
 */
export interface Action {
  readonly protocol: Protocol
  readonly type: LendingType | PoolType
  readonly sums: readonly Sum[]
}
