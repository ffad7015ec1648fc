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
 * What a transaction did with a protocol, as one log tells it. Sums: of lending one, of a
 * liquidation the debt and the collateral; of a pool those of its two tokens in the pool's order,
 * of a swap what was paid and what was received.
 */
export interface Action {
  readonly protocol: Protocol
  readonly type: LendingType | PoolType
  readonly sums: readonly Sum[]
}
