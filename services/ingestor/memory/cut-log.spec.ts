import { expect, test } from 'vitest'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import { memoryEventLog } from '../../../libs/ports/testing/memory-event-log.ts'
import { memoryStateStore } from '../../../libs/ports/testing/memory-state-store.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import { chainInLog } from '../../../test/support/chain-in-log.ts'
import { SourceOfValues } from '../../../test/support/source-of-values.ts'
import { startIngestor } from '../ingestor.ts'

const everything = { messagesMax: 1_000_000, bytesMax: 1_000_000_000 }

/** A log of which brokers lose the end, acknowledged or not, the moment before an append. */
function losing(first: EventLog) {
  let now = first
  let keeps: number | null = null
  const eventLog: EventLog = {
    async append(topic, messages) {
      if (keeps !== null) {
        const kept = (await now.read(topic, 0, everything)).slice(0, keeps)
        keeps = null
        now = memoryEventLog()
        await now.append(topic, kept)
      }
      return now.append(topic, messages)
    },
    read: (...asked) => now.read(...asked),
    begin: (topic) => now.begin(topic),
    end: (topic) => now.end(topic),
    waitBeyond: (...asked) => now.waitBeyond(...asked),
    close: () => now.close(),
  }
  return {
    eventLog,
    loseAfter: (messages: number) => {
      keeps = messages
    },
  }
}

test.each([
  [3, 1],
  [3, 5],
  [3, 12],
  [10, 30],
])(
  'an ingestor ends when the log lost %i messages, and its next life publishes all of the chain (%i more)',
  async (lost, more) => {
    const { eventLog, loseAfter } = losing(memoryEventLog())
    const [source, state] = [new SourceOfValues(), memoryStateStore()]
    const grow = (count: number) => {
      for (let at = 0; at < count; at++) source.grow(1)
    }
    const lived = async () => {
      const ingestor = await startIngestor({ source, eventLog, state })
      const outcome = await Promise.race([ingestor.done, ingestor.failed])
      await ingestor.stop()
      return outcome ?? null
    }
    grow(10)
    expect(await lived()).toBeNull()
    loseAfter(10 - lost)
    grow(more)
    const ended = await lived()
    expect(ended?.message).toContain('topic blocks was cut')
    expect(ended?.message).toContain(runbooks.lostTail)
    expect(await lived()).toBeNull()
    const { standing } = await chainInLog(eventLog)
    expect(standing).toEqual(
      new Map([...source.blocks].map(([number, { hash }]) => [number, hash])),
    )
  },
)
