import { atMostEvery } from '../../../libs/signals/at-most-every.ts'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import { redacted } from '../../../libs/signals/logger.ts'

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

interface ExampleUrl {
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
  /** All blocks that the source has are indexed: at the end of each catch-up. */
  indexed(reach: IndexedReach): void
  /** The first indexed block is not the first of the chain. */
  startsLate(block: number): void
  /** Everything in the source is indexed, or examples are available. */
  ready(): void
  stopping(): void
  stopped(): void
}

/** Everything that the source has so far. */
export interface IndexedReach {
  /** The newest block. */
  readonly block: number
  /** Whether the source brings no further block: a folder is read once. */
  readonly isFinal: boolean
}

export const startingLine = (source: string): string =>
  `Foldscan is starting on ${redacted(source)}`

export const indexedLine = ({ block, isFinal }: IndexedReach): string =>
  isFinal
    ? `all blocks of the source are indexed, up to block ${block}; it has no more`
    : `all blocks up to block ${block} are indexed; new ones follow`

export const startsLateLine = (block: number): string =>
  `balances and names from before block ${block} are unknown: the source begins there`

/** A log is read later: progress every few seconds is enough. */
const reachedIntervalMs = 5_000

/** For a log collector: the same, as lines. */
export function logUi(log: Log): ConsoleUi {
  const isReachDue = atMostEvery(reachedIntervalMs)
  const reached = ({ from, indexed, head, eventsPerSecond }: IndexingProgress) => {
    if (!isReachDue()) return
    const pace = Math.round(eventsPerSecond)
    log.info(
      { event: events.up.reached, from, indexed, head, eventsPerSecond: pace },
      'catching up',
    )
  }
  return {
    progress: reached,
    mining: logMining(log),
    starting: (source) => log.info({ event: events.up.starting, source }, `starting on ${source}`),
    listening: (url) => log.info({ event: events.up.listening, url }, `listening on ${url}`),
    block: (block) => log.info({ event: events.up.block, ...block }, `block ${block.number}`),
    urls(urls) {
      for (const { what, url } of urls) log.info({ event: events.up.urls, what, url }, what)
    },
    indexed: (reach) => log.info({ event: events.up.indexed, ...reach }, indexedLine(reach)),
    startsLate: (block) =>
      log.info({ event: events.up.missingHistory, block }, startsLateLine(block)),
    ready: () => log.info({ event: events.up.ready }, 'ready'),
    stopping: () => log.info({ event: events.up.stopping }, 'stopping'),
    stopped: () => log.info({ event: events.up.stopped }, 'stopped'),
  }
}

/** Logs now and then how far the demo chain is in mining what it begins with. */
export function logMining(log: Log): ConsoleUi['mining'] {
  const isDue = atMostEvery(reachedIntervalMs)
  return ({ mined, total }) => {
    if (!isDue()) return
    const fields = { event: events.demo.mining, mined, total }
    log.info(fields, `mining block ${mined} of ${total} of the demo chain`)
  }
}
