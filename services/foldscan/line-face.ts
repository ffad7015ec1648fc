import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import type { Face } from './face.ts'

/** For a log collector: the same, as lines. Progress is told by the services themselves. */
export const lineFace = (log: Log): Face => ({
  starting: (source) => log.info({ event: events.up.starting, source }, `starting on ${source}`),
  listening: (origin) => log.info({ event: events.api.listening, url: origin }, 'listening'),
  reached: ({ from, indexed, head, eventsPerSecond }) =>
    log.info({ event: events.up.reached, from, indexed, head, eventsPerSecond }, 'catching up'),
  block: (block) => log.info({ event: events.up.block, ...block }, `block ${block.number}`),
  urls(urls) {
    for (const { what, url } of urls)
      log.info({ event: events.up.urls, what, url }, 'worth opening')
  },
  stopping: () => log.info({ event: events.up.stopping }, 'stopping'),
  stopped: () => log.info({ event: events.up.stopped }, 'stopped'),
})
