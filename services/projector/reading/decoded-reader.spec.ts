import { beforeEach, describe, expect, test } from 'vitest'
import { memoryEventLog } from '../../../libs/ports/testing/memory-event-log.ts'
import { type DecodedReader, decodedReader } from './decoded-reader.ts'

const one = { messagesMax: 1, bytesMax: 1_000 }
const messages = 20

/** Each message is 100 bytes: four of them are the lead. */
async function reading(leadWaitMaxMs: number): Promise<DecodedReader> {
  const eventLog = memoryEventLog()
  const message = { key: '1', value: Buffer.alloc(100) }
  await eventLog.append('blocks', Array(messages).fill(message))
  return decodedReader(eventLog, { leadBytesMax: 400, leadWaitMaxMs })
}

/** What settles without a timer has settled after so many turns. */
async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  void promise.then(() => {
    settled = true
  })
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
  return settled
}

describe('a reader that two groups share', () => {
  let reader: DecodedReader
  beforeEach(async () => {
    reader = await reading(3_600_000)
    // Both read the first message; then one goes ahead by all that it may.
    for (const offset of [0, 0, 1, 2, 3, 4]) await reader.read(offset, one)
  })

  test('lets the one ahead wait until the other has followed', async () => {
    const ahead = reader.read(5, one)
    expect(await hasSettled(ahead)).toBe(false)
    const [followed] = await reader.read(1, one)
    expect(followed?.offset).toBe(1)
    expect((await ahead)[0]?.offset).toBe(5)
  })

  test('gives both the same decoded message', async () => {
    expect((await reader.read(2, one))[0]).toBe((await reader.read(2, one))[0])
  })

  test('lets nobody wait who is told to stop', async () => {
    const stopping = new AbortController()
    const ahead = reader.read(5, one, stopping.signal)
    expect(await hasSettled(ahead)).toBe(false)
    stopping.abort()
    expect(await ahead).toHaveLength(1)
    expect(await reader.read(6, one, stopping.signal)).toHaveLength(1)
  })
})

test('a group that has no other beside it never waits', async () => {
  const reader = await reading(3_600_000)
  for (let at = 0; at < messages; at++) expect(await reader.read(at, one)).toHaveLength(1)
})

test('a group waits once for one that stands still, and again when that moves', async () => {
  const reader = await reading(1)
  for (const offset of [0, 0, 1, 2, 3, 4]) await reader.read(offset, one)
  const waiting = reader.read(5, one)
  expect(await hasSettled(waiting)).toBe(false)
  await waiting
  const next = reader.read(6, one)
  expect(await hasSettled(next)).toBe(true)
  await reader.read(1, one)
  const again = reader.read(7, one)
  expect(await hasSettled(again)).toBe(false)
  await again
})

test('what the other group has not read stays decoded', async () => {
  const mebibyte = 1024 * 1024
  const eventLog = memoryEventLog()
  for (let at = 0; at < 12; at++) {
    await eventLog.append('blocks', [{ key: '1', value: Buffer.alloc(mebibyte) }])
  }
  const reader = decodedReader(eventLog)
  const oneOf = async (offset: number) => (await reader.read(offset, one))[0]
  const ahead = new Map<number, unknown>()
  for (let at = 0; at < 8; at++) ahead.set(at, await oneOf(at))
  for (let at = 0; at < 4; at++) await oneOf(at)
  for (let at = 8; at < 12; at++) ahead.set(at, await oneOf(at))
  for (let at = 4; at < 12; at++) expect(await oneOf(at)).toBe(ahead.get(at))
})

test('what the other group has begun after is no lead', async () => {
  const reader = await reading(3_600_000)
  for (let at = 0; at < 8; at++) await reader.read(at, one)
  for (let at = 4; at < 8; at++) await reader.read(at, one)
  expect(await hasSettled(reader.read(8, one))).toBe(true)
})
