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
  /** Whether it had code before the first block of the log; null or absent: not known. */
  readonly hasCodeBefore?: boolean | null | undefined
}

/** Form of a transfer log; a token may emit a form of another standard than its own. */
export type TransferForm = Exclude<Standard, 'ERC-404'>

/** One item of a transfer log. Those of a TransferBatch differ in `batchIndex`. */
export interface Transfer {
  readonly token: Address
  readonly form: TransferForm
  readonly from: Address
  readonly to: Address
  /** Null for the ERC-20 form. */
  readonly tokenId: bigint | null
  /** Smallest units; 1 for the ERC-721 form. */
  readonly value: bigint
  readonly logIndex: number
  /** Place inside its log: 0 but for batches, where merged items keep the lowest place. */
  readonly batchIndex: number
  /** How many items (before merging) the log has. */
  readonly batchSize: number
}
