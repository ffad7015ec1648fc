import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import type { Face, Reach } from './face.ts'

/** A log is read later: how far it came every few seconds is enough. */
const reachedIntervalMs = 5_000

/** For a log collector: the same, as lines. */
export function lineFace(log: Log): Face {
  let reachedAt = 0
  const reached = ({ from, indexed, head, eventsPerSecond }: Reach) => {
    if (Date.now() - reachedAt < reachedIntervalMs) return
    reachedAt = Date.now()
    const pace = Math.round(eventsPerSecond)
    log.info(
      { event: events.up.reached, from, indexed, head, eventsPerSecond: pace },
      'catching up',
    )
  }
  return {
    reached,
    starting: (source) => log.info({ event: events.up.starting, source }, `starting on ${source}`),
    listening: (url) => log.info({ event: events.up.listening, url }, `answering on ${url}`),
    block: (block) => log.info({ event: events.up.block, ...block }, `block ${block.number}`),
    urls(urls) {
      for (const { what, url } of urls) log.info({ event: events.up.urls, what, url }, what)
    },
    ready: () => log.info({ event: events.up.ready }, 'ready'),
    stopping: () => log.info({ event: events.up.stopping }, 'stopping'),
    stopped: () => log.info({ event: events.up.stopped }, 'stopped'),
  }
}
