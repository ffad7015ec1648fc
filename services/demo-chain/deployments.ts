import type { Address } from '../../libs/chain/hex.ts'
import type { ContractName } from './contract-names.ts'

/** The contracts that stand from the first block on, by the name that the traffic calls them. */
export type Place =
  | 'dollar'
  | 'gold'
  | 'gem'
  | 'nameless'
  | 'old'
  | 'wrapped'
  | 'art'
  | 'passes'
  | 'cats'
  | 'items'
  | 'hybrid'
  | 'pool'
  | 'workshop'
  | 'runner'

export interface ContractDeployment {
  readonly place: Place
  readonly contract: ContractName
  readonly args: (at: (place: Place) => Address) => readonly unknown[]
}

/** In the order of the deployer's nonces, which decide the addresses. */
export const deployments: readonly ContractDeployment[] = [
  { place: 'dollar', contract: 'DemoToken', args: () => ['Demo Dollar', 'DUSD', 6] },
  { place: 'gold', contract: 'DemoToken', args: () => ['Demo Gold', 'DGLD', 8] },
  { place: 'gem', contract: 'DemoToken', args: () => ['Demo Gem', 'GEM', 18] },
  { place: 'nameless', contract: 'DemoToken', args: () => ['', '', 0] },
  { place: 'old', contract: 'OldToken', args: () => [] },
  { place: 'wrapped', contract: 'WrappedCoin', args: () => [] },
  { place: 'art', contract: 'Collection', args: () => ['Demo Art', 'ART'] },
  { place: 'passes', contract: 'Collection', args: () => ['Demo Passes', 'PASS'] },
  { place: 'cats', contract: 'OldCollection', args: () => [] },
  { place: 'items', contract: 'Items', args: () => [] },
  { place: 'hybrid', contract: 'Hybrid', args: () => [] },
  { place: 'pool', contract: 'Pool', args: (at) => [at('dollar'), at('wrapped')] },
  { place: 'workshop', contract: 'Workshop', args: () => [] },
  { place: 'runner', contract: 'Runner', args: () => [] },
]
