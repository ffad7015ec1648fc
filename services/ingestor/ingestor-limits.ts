import { partBytesMax, wholeBytesMax } from '../../libs/topics/parts.ts'

/** Bounds of the ingestor. At each of them something is logged, or it halts with a sentence. */
export interface IngestorLimits {
  /** Blocks fetched before their turn, and most blocks appended in one write. */
  readonly blocksAheadMax: number
  /** … and their bytes, about, as far as the blocks before them tell; one may be larger. */
  readonly bytesAheadMax: number
  /** Forks that leave our chain deeper down halt: projectors cannot undo more. */
  readonly reorganisationDepthMax: number
  /** A token's metadata is attached while its first sight is less deep than this. */
  readonly firstSightDepthMax: number
  /** Times that the state after a block is asked for; then the block is published without. */
  readonly stateTriesMax: number
  /** Recipients of calls whose code is remembered. */
  readonly recipientsMax: number
  /** Balances asked for after one block, of tokens that transfers do not explain. */
  readonly observedBalancesMax: number
  /** Balances to ask for later, where the node has lost the state of their block. */
  readonly owedBalancesMax: number
  /** A larger message is published in parts of this size. */
  readonly partBytesMax: number
  /** A larger one halts: nobody could read it. */
  readonly messageBytesMax: number
  /** Handed to the log in one go, or one message or part that is larger. */
  readonly appendBytesMax: number
  /** Messages between two saves of the memory; what is not saved is read again from the log. */
  readonly saveIntervalMessages: number
  readonly readMessagesMax: number
  readonly readBytesMax: number
  /** Between two tries while the source is in trouble, doubling from the first to the second. */
  readonly retryMinMs: number
  readonly retryMaxMs: number
}

export const ingestorLimits: IngestorLimits = {
  blocksAheadMax: 16,
  bytesAheadMax: 32 * 1024 * 1024,
  reorganisationDepthMax: 256,
  firstSightDepthMax: 256,
  stateTriesMax: 3,
  recipientsMax: 100_000,
  observedBalancesMax: 4_096,
  owedBalancesMax: 100_000,
  partBytesMax,
  messageBytesMax: wholeBytesMax,
  appendBytesMax: partBytesMax,
  saveIntervalMessages: 64,
  readMessagesMax: 256,
  readBytesMax: 16 * 1024 * 1024,
  retryMinMs: 250,
  retryMaxMs: 15_000,
}
