import type { EventLog } from '../../../libs/ports/event-log.ts'

const readLimit = { messagesMax: 500, bytesMax: 8 * 1024 * 1024 }

/** Values of a topic up to its present end, piece by piece. @throws LogUnavailable */
export async function* storedFacts(
  eventLog: EventLog,
  topic: string,
  signal: AbortSignal,
): AsyncGenerator<readonly Uint8Array[]> {
  const end = await eventLog.end(topic)
  let offset = await eventLog.begin(topic)
  while (offset < end && !signal.aborted) {
    const stored = await eventLog.read(topic, offset, readLimit)
    // The last ones were compacted.
    if (stored.length === 0) return
    offset = (stored.at(-1)?.offset ?? offset) + 1
    yield stored.map(({ value }) => value)
  }
}
