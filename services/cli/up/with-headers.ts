import { LRUCache } from 'lru-cache'
import type { EventLog, LogMessage } from '../../../libs/ports/event-log.ts'

/** Messages whose headers are known until they are read: those of some minutes. */
const messagesMax = 1_000

/**
 * Headers of the newest messages of a log that does not store them, for readers in the process
 * that appends.
 */
export function withHeaders(eventLog: EventLog): EventLog {
  const known = new LRUCache<string, NonNullable<LogMessage['headers']>>({ max: messagesMax })
  return {
    async append(topic, messages) {
      const offsets = await eventLog.append(topic, messages)
      for (const [at, { headers }] of messages.entries()) {
        if (headers !== undefined) known.set(`${topic}:${offsets[at]}`, headers)
      }
      return offsets
    },
    async read(topic, offset, limit) {
      const messages = await eventLog.read(topic, offset, limit)
      return messages.map((message) => {
        const headers = known.get(`${topic}:${message.offset}`)
        return headers === undefined ? message : { ...message, headers }
      })
    },
    begin: (topic) => eventLog.begin(topic),
    end: (topic) => eventLog.end(topic),
    waitBeyond: (topic, offset, signal) => eventLog.waitBeyond(topic, offset, signal),
    close: () => eventLog.close(),
  }
}
