import { afterEach, expect, it } from 'vitest'
import { type EventLog, LogUnavailable, OffsetLost } from '../../../libs/ports/event-log.ts'
import { memoryEventLog } from '../../../libs/ports/testing/memory-event-log.ts'
import { silentLog } from '../../../libs/signals/log.ts'
import { encodeMessage } from '../../../libs/topics/codec.ts'
import { alice, coin } from '../../../test/support/observable-chain.ts'
import { tokenAddress } from '../../../test/support/source-of-values.ts'
import { until } from '../../../test/support/until.ts'
import { HolderReader } from './holder-reader.ts'

const stopping: AbortController[] = []
afterEach(() => {
  for (const one of stopping.splice(0)) one.abort()
})

const named = (holder: string) => ({
  ...{ key: holder, value: encodeMessage({ token: coin, holder, tokenId: null }) },
})

function reading(eventLog: EventLog, offset = 0) {
  const sentences: (string | undefined)[] = []
  const log = {
    ...silentLog,
    warn: (_: object, sentence?: string) => void sentences.push(sentence),
  }
  const reader = new HolderReader({ eventLog, log, retryMs: 1 }, offset)
  const controller = new AbortController()
  stopping.push(controller)
  const running = reader.run(controller.signal)
  return { reader, running, sentences, end: () => controller.abort() }
}

/** All that it reads, until the offset is reached. */
async function takenTo(reader: HolderReader, offset: number): Promise<readonly number[]> {
  const sizes: number[] = []
  let at = 0
  await until(`offset ${offset}`, () => {
    const named = reader.take()
    if (named !== null) sizes.push(named.pairs.length)
    at = named?.offset ?? at
    return at === offset
  })
  return sizes
}

it('reads what is named from where it was, and waits for more', async () => {
  const eventLog = memoryEventLog()
  await eventLog.append('holders', [named(alice), named(coin)])
  const { reader, end, running } = reading(eventLog, 1)
  await takenTo(reader, 2)
  expect(reader.take()).toBeNull()
  await eventLog.append('holders', [named(alice)])
  await takenTo(reader, 3)
  end()
  await running
})

it('skips a message that names nobody, and says so', async () => {
  const eventLog = memoryEventLog()
  await eventLog.append('holders', [{ key: 'x', value: Buffer.from('{}') }, named(alice)])
  const { reader, sentences } = reading(eventLog)
  expect(await takenTo(reader, 2)).toEqual([1])
  expect(sentences).toEqual([
    expect.stringContaining('a message of topic holders is skipped: token'),
  ])
})

it('reads no more than a few thousand ahead of those who take them', async () => {
  const eventLog = memoryEventLog()
  const count = 5_000
  const messages = Array.from({ length: count }, (_, at) => named(tokenAddress(at)))
  await eventLog.append('holders', messages)
  const { reader } = reading(eventLog)
  const sizes = await takenTo(reader, count)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(3_000)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(count)
})

it('goes on when the log is back, and from the beginning of another topic', async () => {
  const inner = memoryEventLog()
  await inner.append('holders', [named(alice), named(coin)])
  let reads = 0
  const eventLog: EventLog = Object.assign(Object.create(inner), {
    async read(...[topic, offset, limit]: Parameters<EventLog['read']>) {
      reads += 1
      if (reads === 1) throw new LogUnavailable('no broker')
      if (offset > 2) throw new OffsetLost(topic, offset, { begin: 0, end: 2 })
      return inner.read(topic, offset, limit)
    },
  })
  const { reader, sentences } = reading(eventLog, 7)
  await takenTo(reader, 2)
  expect(sentences).toHaveLength(1)
})
