import type { Address } from '../../chain/hex.ts'
import type { Standard } from '../../chain/token.ts'

/** What changed hands; amounts in smallest units. */
export type Asset = Coin | Tokens | Wrapped | Nfts

interface Coin {
  readonly kind: 'coin'
  readonly amount: bigint
}

/** Of the ERC-20 form. */
export interface Tokens {
  readonly kind: 'tokens'
  readonly token: Address
  readonly amount: bigint
}

/** The coin if the token is the chain's wrapped coin, else that token. */
export interface Wrapped {
  readonly kind: 'wrapped'
  readonly token: Address
  readonly amount: bigint
}

/** Ids of one collection. */
export interface Nfts {
  readonly kind: 'nfts'
  readonly token: Address
  readonly form: Standard
  readonly items: readonly NftItem[]
}

interface NftItem {
  readonly tokenId: bigint
  /** 1 for the ERC-721 form. */
  readonly amount: bigint
}

export const coin = (amount: bigint): Coin => ({ kind: 'coin', amount })
export const tokenAmount = (token: Address, amount: bigint): Tokens => ({
  kind: 'tokens',
  token,
  amount,
})
export const wrapped = (token: Address, amount: bigint): Wrapped => ({
  kind: 'wrapped',
  token,
  amount,
})
