import { messageBytesMax, partBytesMax } from '../../../libs/topics/parts.ts'

/** Bounds of the ingestor. At each of them something is logged, or it halts with a sentence. */
export interface IngestorLimits {
  /** Maximum number of prefetched blocks, and of blocks in one append. */
  readonly blocksAheadMax: number
  /** … and approximate bytes of prefetched blocks, estimated from earlier ones. */
  readonly bytesAheadMax: number
  /** Maximum depth of a fork; deeper ones halt the ingestor: projectors cannot undo more. */
  readonly reorganisationDepthMax: number
  /** A token's metadata is attached while its first sight is less deep than this. */
  readonly firstSightDepthMax: number
  /** Maximum new tokens queried as of one block, and as many queued ones. */
  readonly askedTokensMax: number
  /** Maximum tokens whose words may have changed that are queried at a time, besides new ones. */
  readonly changedTokensMax: number
  /** Maximum new tokens queued, and as many with changed words; others wait for a newer block. */
  readonly waitingTokensMax: number
  /** Minimum blocks between two queries of one token whose words may have changed. */
  readonly wordsPauseBlocks: number
  /** Blocks after which an active token is queried again, whatever it logged. */
  readonly wordsAgeBlocks: number
  /** Maximum active tokens queued per block for their age. */
  readonly agedTokensMax: number
  /** Attempts to query the state after a block; then it is published without. */
  readonly stateTriesMax: number
  /** Size of the cache of recipients with known code. */
  readonly recipientsMax: number
  /** Maximum balances queried as of the block that changes them; the rest is pending. */
  readonly observedBalancesMax: number
  /** Maximum pending balances of older blocks queried at a time. */
  readonly dueBalancesMax: number
  /** Maximum contracts with deposits that never returned a balance, per block … */
  readonly probedTokensMax: number
  /** … and balances queried for each of them. */
  readonly probedBalancesMax: number
  /** Calls for a sample of recently moved balances and their supplies, per block near the head. */
  readonly sampledCallsMax: number
  /** Blocks behind the source's head at which nothing is sampled: a backlog goes first. */
  readonly sampledDepthMax: number
  /** Pairs of a token and a holder asked for after each block near the head; see `Sweep`. */
  readonly sweptPairsMax: number
  /** … of which so many are of any token in turn, known or not. */
  readonly checkedPairsMax: number
  /** Chain time after which tokens that transfers do not explain are asked for all again. */
  readonly sweepPeriodSeconds: number
  /** Pairs of a token and a holder that are remembered, on the volume: 80 bytes each, an id 140. */
  readonly seenPairsMax: number
  /** … and of one block; what it moves besides is remembered when it moves again. */
  readonly seenPairsPerBlockMax: number
  /** Observed pairs of the newest blocks that are remembered for the case of a fork. */
  readonly observedPairsMax: number
  /** Pairs remembered that moved of late, to choose samples from. */
  readonly recentPairsMax: number
  /** Maximum number of pending balances; others stay unknown until they change again. */
  readonly pendingBalancesMax: number
  /** A larger message is published in parts of this size. */
  readonly partBytesMax: number
  /** A larger message halts the ingestor. */
  readonly messageBytesMax: number
  /** Maximum bytes of one append; a single larger message or part is appended alone. */
  readonly appendBytesMax: number
  /** Messages between two checkpoints; later ones are read again from the log. */
  readonly saveIntervalMessages: number
  readonly readMessagesMax: number
  readonly readBytesMax: number
  /** Tries in a row with the same contradictory answers about a block; then it is refused. */
  readonly contradictionsMax: number
  /** Backoff while the source fails, doubling from the minimum to the maximum. */
  readonly retryMinMs: number
  readonly retryMaxMs: number
}

export const ingestorLimits: IngestorLimits = {
  blocksAheadMax: 16,
  bytesAheadMax: 32 * 1024 * 1024,
  reorganisationDepthMax: 256,
  firstSightDepthMax: 256,
  askedTokensMax: 64,
  changedTokensMax: 32,
  waitingTokensMax: 10_000,
  wordsPauseBlocks: 16,
  wordsAgeBlocks: 7_200,
  agedTokensMax: 4,
  stateTriesMax: 3,
  recipientsMax: 100_000,
  observedBalancesMax: 1_024,
  dueBalancesMax: 512,
  probedTokensMax: 64,
  probedBalancesMax: 8,
  sampledCallsMax: 64,
  sampledDepthMax: 16,
  sweptPairsMax: 256,
  checkedPairsMax: 8,
  sweepPeriodSeconds: 86_400,
  seenPairsMax: 100_000_000,
  seenPairsPerBlockMax: 20_000,
  observedPairsMax: 500_000,
  recentPairsMax: 4_096,
  pendingBalancesMax: 100_000,
  // A reader takes a part at once: of 8 MiB, that held the loop for 200 ms on a slow core.
  partBytesMax: partBytesMax / 2,
  messageBytesMax: messageBytesMax,
  appendBytesMax: partBytesMax,
  saveIntervalMessages: 64,
  readMessagesMax: 256,
  readBytesMax: 16 * 1024 * 1024,
  // With the pauses below, half a minute.
  contradictionsMax: 8,
  retryMinMs: 250,
  retryMaxMs: 15_000,
}
