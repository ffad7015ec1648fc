import { expect, test, vi } from 'vitest'
import type { EventLog } from '../../../../libs/ports/event-log.ts'
import { memoryEventLog } from '../../../../libs/ports/testing/memory-event-log.ts'
import { encodeMessage } from '../../../../libs/topics/codec.ts'
import { deadLetterMessage, topics } from '../../../../libs/topics/topics.ts'
import { readDeadLetters } from './read-dead-letters.ts'
import { replayLetters } from './replay-letters.ts'
import { acknowledgeLetters, SettledLetters, settledRunsMax } from './settled-letters.ts'

const topic = 'coin-prices'
const letters = `${topic}.dead-letters`

const letter = (offset: number) => ({
  key: 'k',
  value: encodeMessage({
    ...{ topic, offset, key: `k${offset}`, time: null, headers: {}, reason: 'invalid' },
    ...{ message: Buffer.from(`${offset}`).toString('base64'), error: 'broken' },
  }),
})

async function logWith(count: number): Promise<EventLog> {
  const eventLog = memoryEventLog()
  await eventLog.append(
    letters,
    Array.from({ length: count }, (_, at) => letter(at)),
  )
  return eventLog
}

async function listed(eventLog: EventLog) {
  const all: [number, boolean][] = []
  for await (const one of readDeadLetters(eventLog, topic))
    all.push([one.offset, one.isAcknowledged])
  return all
}

const acknowledge = (eventLog: EventLog, offset: number | null) =>
  acknowledgeLetters(eventLog, { topic, offset, now: 1_700_000_000_000 })

test('acknowledges one dead letter or all, once, and no letter that comes later', async () => {
  const eventLog = await logWith(3)
  expect(await acknowledge(eventLog, 1)).toEqual([1])
  expect(await acknowledge(eventLog, 1)).toEqual([])
  expect(await eventLog.end(letters)).toBe(4)
  expect(await acknowledge(eventLog, null)).toEqual([0, 2])
  expect(await acknowledge(eventLog, null)).toEqual([])
  expect(await eventLog.end(letters)).toBe(5)
  await eventLog.append(letters, [letter(9)])
  expect(await listed(eventLog)).toEqual([
    [0, true],
    [1, true],
    [2, true],
    [5, false],
  ])
})

test('finds no dead letter beyond the topic', async () => {
  const eventLog = await logWith(1)
  expect(await acknowledge(eventLog, 1)).toBeNull()
  expect(await acknowledge(eventLog, 0)).toEqual([0])
})

test('a replay of all leaves out what is acknowledged; of one it does not', async () => {
  const eventLog = await logWith(2)
  await acknowledge(eventLog, 0)
  const ports = { eventLog, invalidReason: () => null }
  const all = await replayLetters({ topic, offset: null, isForced: true }, ports)
  expect(all.replayed.map(({ offset }) => offset)).toEqual([1])
  const one = await replayLetters({ topic, offset: 0, isForced: true }, ports)
  expect(one.replayed.map(({ offset }) => offset)).toEqual([0])
  expect([...all.refused, ...one.refused]).toEqual([])
})

test('an acknowledgement is a message that the topic allows', async () => {
  const eventLog = await logWith(1)
  await acknowledge(eventLog, 0)
  const stored = await eventLog.read(letters, 0, { messagesMax: 9, bytesMax: 99_999 })
  expect(topics.find(({ name }) => name === letters)?.schema).toBe(deadLetterMessage)
  for (const { value } of stored) {
    expect(deadLetterMessage.safeParse(JSON.parse(Buffer.from(value).toString())).success).toBe(
      true,
    )
  }
})

/** An acknowledgement of another program: whoever may append to the topic. */
const acknowledgement = (offsets: readonly { from: number; to: number }[]) => ({
  key: 'acknowledged',
  value: encodeMessage({ kind: 'acknowledged', offsets, time: 1_700_000_000_000 }),
})

test('counts once what overlapping acknowledgements name, in work bounded by their number', async () => {
  const eventLog = await logWith(5)
  const all = Array.from({ length: 10_000 }, () => ({ from: 0, to: Number.MAX_SAFE_INTEGER }))
  await eventLog.append(letters, [acknowledgement(all), acknowledgement(all), letter(5)])
  const adding = vi.spyOn(Set.prototype, 'add')
  const settled = new SettledLetters(eventLog, topic)
  expect(await settled.read()).toBe(1)
  // Not a step for each message that is named, of which there may be 100,000 in each range.
  const added = adding.mock.calls.filter(([value]) => typeof value === 'number').length
  adding.mockRestore()
  expect(added).toBe(0)
  expect([...Array(8).keys()].map((offset) => settled.has(offset))).toEqual([
    ...Array(7).fill(true),
    false,
  ])
})

test('remembers a bounded number of runs: the oldest beyond them count as open again', async () => {
  const extra = 3
  const count = 2 * (settledRunsMax + extra)
  const eventLog = await logWith(count)
  const every = Array.from({ length: count / 2 }, (_, at) => ({ from: 2 * at, to: 2 * at }))
  const halves = [every.slice(0, 9_000), every.slice(9_000)]
  await eventLog.append(letters, halves.map(acknowledgement))
  const settled = new SettledLetters(eventLog, topic)
  // The run of the two acknowledgements themselves is one more.
  expect(await settled.read()).toBe(count / 2 + extra + 1)
  expect([settled.has(0), settled.has(count - 2)]).toEqual([false, true])
})
