import type { EventEmitter } from 'node:events'
import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'

/**
 * Rejects with the first thing that nobody has caught. Whatever follows is only named: without a
 * listener it would end the process in the middle of an orderly stop.
 */
export function firstCrash(process: EventEmitter, log: Log): Promise<never> {
  return new Promise<never>((_, reject) => {
    let isFirst = true
    process.on('uncaughtException', (error: unknown) => {
      reject(error)
      if (!isFirst) {
        const text = error instanceof Error ? error.message : String(error)
        const fields = { event: events.service.failedToo, error: text }
        log.error(fields, `something else failed while stopping: ${text}`)
      }
      isFirst = false
    })
  })
}
