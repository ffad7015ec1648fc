import { expect, test } from 'vitest'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import { memoryEventLog } from '../../../libs/ports/testing/memory-event-log.ts'
import { withHeaders } from './with-headers.ts'

/** As the log in a file, which stores none. */
function withoutHeaders(eventLog: EventLog): EventLog {
  const append = eventLog.append.bind(eventLog)
  eventLog.append = (topic, messages) =>
    append(
      topic,
      messages.map(({ key, value }) => ({ key, value })),
    )
  return eventLog
}

const all = { messagesMax: 10_000, bytesMax: 1_000_000 }
const message = (key: string, headers?: Record<string, string>) => ({
  key,
  value: Buffer.from(key),
  ...(headers === undefined ? {} : { headers }),
})

test('readers of the same process get headers that the log does not store', async () => {
  const eventLog = withHeaders(withoutHeaders(memoryEventLog()))
  await eventLog.append('blocks', [message('a'), message('b', { seen: '1' })])
  await eventLog.append('changes', [message('c', { seen: '2' })])
  const headersIn = async (topic: string) =>
    (await eventLog.read(topic, 0, all)).map(({ headers }) => headers)
  expect(await headersIn('blocks')).toEqual([undefined, { seen: '1' }])
  expect(await headersIn('changes')).toEqual([{ seen: '2' }])
})

test('headers of old messages are forgotten', async () => {
  const eventLog = withHeaders(withoutHeaders(memoryEventLog()))
  const headers = { seen: '1' }
  await eventLog.append('blocks', [message('old', headers)])
  for (let at = 0; at < 1_000; at++) await eventLog.append('blocks', [message('new', headers)])
  const read = await eventLog.read('blocks', 0, all)
  expect(read.filter((one) => one.headers === undefined).map(({ key }) => key)).toEqual(['old'])
})
