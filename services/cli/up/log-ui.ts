import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import { type ConsoleUi, type IndexingProgress, startsLateLine } from './console-ui.ts'

/** A log is read later: progress every few seconds is enough. */
const reachedIntervalMs = 5_000

/** For a log collector: the same, as lines. */
export function logUi(log: Log): ConsoleUi {
  const isReachDue = everyWhile(reachedIntervalMs)
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
    startsLate: (block) =>
      log.info({ event: events.up.missingHistory, block }, startsLateLine(block)),
    ready: () => log.info({ event: events.up.ready }, 'ready'),
    stopping: () => log.info({ event: events.up.stopping }, 'stopping'),
    stopped: () => log.info({ event: events.up.stopped }, 'stopped'),
  }
}

/** Logs now and then how far the demo chain is in mining what it begins with. */
export function logMining(log: Log): ConsoleUi['mining'] {
  const isDue = everyWhile(reachedIntervalMs)
  return ({ mined, total }) => {
    if (!isDue()) return
    const fields = { event: events.demo.mining, mined, total }
    log.info(fields, `mining block ${mined} of ${total} of the demo chain`)
  }
}

function everyWhile(intervalMs: number): () => boolean {
  let last = Number.NEGATIVE_INFINITY
  return () => {
    const isDue = performance.now() - last >= intervalMs
    if (isDue) last = performance.now()
    return isDue
  }
}
