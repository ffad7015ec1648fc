import type { EventLog, StoredMessage } from '../../../../libs/ports/event-log.ts'

const limit = { messagesMax: 500, bytesMax: 4 * 1024 * 1024 }

/** All messages of a topic that exist when it begins. @throws LogUnavailable */
export async function* readMessages(
  eventLog: EventLog,
  topic: string,
  from = 0,
): AsyncGenerator<StoredMessage> {
  const [begin, end] = await Promise.all([eventLog.begin(topic), eventLog.end(topic)])
  for (let offset = Math.max(begin, from); offset < end; ) {
    const read = await eventLog.read(topic, offset, limit)
    const last = read.at(-1)
    if (last === undefined) return
    for (const message of read) if (message.offset < end) yield message
    offset = last.offset + 1
  }
}
