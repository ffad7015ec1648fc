import type { Address, Hash } from './hex.ts'
import type { TokenMetadata } from './token.ts'

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
