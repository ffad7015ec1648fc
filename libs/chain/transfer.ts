import type { Address } from './hex.ts'
import type { Standard } from './token.ts'

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
