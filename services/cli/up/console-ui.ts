/** Indexing progress, in block numbers. */
export interface IndexingProgress {
  /** First block of the log, or the one at which this process started. */
  readonly from: number
  /** Newest block served by the API. */
  readonly indexed: number
  /** Newest block of the source. */
  readonly head: number
  /** Recent rate of transactions and logs. */
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

/** Console output of `foldscan up`: progress bar and lines on a terminal, JSON lines elsewhere. */
export interface ConsoleUi {
  starting(source: string): void
  /** The demo chain mines its initial blocks. */
  mining(progress: { readonly mined: number; readonly total: number }): void
  listening(origin: string): void
  progress(reach: IndexingProgress): void
  block(block: BlockSummary): void
  urls(urls: readonly ExampleUrl[]): void
  /** The first indexed block is not the first of the chain. */
  startsLate(block: number): void
  /** Everything in the source is indexed, or examples are available. */
  ready(): void
  stopping(): void
  stopped(): void
}

export const startsLateLine = (block: number): string =>
  `balances and names from before block ${block} are unknown: the source begins there`
