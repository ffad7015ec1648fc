/** How far the index is. Blocks are numbers of blocks, positions those of messages. */
export interface IndexingProgress {
  /** First block of the log, or the one where this start began. */
  readonly from: number
  /** Newest block that the API can show. */
  readonly indexed: number
  /** Newest block of the source. */
  readonly head: number
  /** Transactions and logs a second, of late. */
  readonly eventsPerSecond: number
  readonly blocksPerSecond: number
}

export interface BlockSummary {
  readonly number: number
  readonly hash: string
  readonly transactions: number
  readonly transfers: number
  /** Seconds since 1970. */
  readonly time: number
  readonly reverted: boolean
}

export interface ExampleUrl {
  readonly what: string
  readonly url: string
}

/** What `foldscan up` shows: a bar and lines on a terminal, JSON lines elsewhere. */
export interface ConsoleUi {
  starting(source: string): void
  /** The demo chain mines the blocks that it begins with. */
  mining(progress: { readonly mined: number; readonly total: number }): void
  listening(origin: string): void
  progress(reach: IndexingProgress): void
  block(block: BlockSummary): void
  urls(urls: readonly ExampleUrl[]): void
  /** The first block that is indexed is not the first of the chain. */
  startsLate(block: number): void
  /** All that the source has is indexed, or there is at least something to look at. */
  ready(): void
  stopping(): void
  stopped(): void
}

export const startsLateLine = (block: number): string =>
  `balances and names from before block ${block} are unknown: the source begins there`
