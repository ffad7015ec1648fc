import { messageBytesMax, partBytesMax } from '../../libs/topics/parts.ts'

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
  /** New tokens asked as of one block, and as many of those that wait; the rest comes later. */
  readonly askedTokensMax: number
  /** New tokens remembered to be asked later; others have no name until a newer log shows them. */
  readonly waitingTokensMax: number
  /** Times that the state after a block is asked for; then the block is published without. */
  readonly stateTriesMax: number
  /** Recipients of calls whose code is remembered. */
  readonly recipientsMax: number
  /** Balances asked for as of one block that touches them; the rest is owed. */
  readonly observedBalancesMax: number
  /** Balances owed by older blocks that are asked for at a time. */
  readonly dueBalancesMax: number
  /** Contracts with deposits that never told a balance, asked as of one block … */
  readonly probedTokensMax: number
  /** … and balances asked for of each of them. */
  readonly probedBalancesMax: number
  /** Balances remembered to be asked for later; others stay unknown until they move again. */
  readonly pendingBalancesMax: number
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
  askedTokensMax: 64,
  waitingTokensMax: 10_000,
  stateTriesMax: 3,
  recipientsMax: 100_000,
  observedBalancesMax: 1_024,
  dueBalancesMax: 512,
  probedTokensMax: 64,
  probedBalancesMax: 8,
  pendingBalancesMax: 100_000,
  partBytesMax,
  messageBytesMax: messageBytesMax,
  appendBytesMax: partBytesMax,
  saveIntervalMessages: 64,
  readMessagesMax: 256,
  readBytesMax: 16 * 1024 * 1024,
  retryMinMs: 250,
  retryMaxMs: 15_000,
}
