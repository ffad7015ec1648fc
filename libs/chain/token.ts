import type { Address } from './hex.ts'

/** Token standards in the order in which an NFT page lists them (ERC-20 first, it has no NFTs). */
export const standards = ['ERC-20', 'ERC-721', 'ERC-1155', 'ERC-404'] as const
export type Standard = (typeof standards)[number]

/** Metadata that a contract returned as of `block`; null for what is missing or malformed. */
export interface TokenMetadata {
  readonly address: Address
  /** By ERC-165 and the probes of ERC-404; null if it supports none of them. */
  readonly standard: Standard | null
  readonly name: string | null
  readonly symbol: string | null
  readonly decimals: number | null
  readonly totalSupply: bigint | null
  /** The block after which it was asked. */
  readonly block: number
}
