import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lmdbEventLog } from '../../libs/adapters/lmdb/lmdb-event-log.ts'
import { openEnvironment } from '../../libs/adapters/lmdb/open-environment.ts'
import { memoryEventLog } from '../../libs/adapters/memory/memory-event-log.ts'
import {
  type EventLog,
  type LogMessage,
  OffsetLost,
  type StoredMessage,
} from '../../libs/ports/event-log.ts'
import { embeddedBounds, topics } from '../../libs/topics/topics.ts'

const all = { messagesMax: 1000, bytesMax: 1_000_000 }
const said = (text: string): LogMessage => ({ key: 'k', value: Buffer.from(text) })
const textsOf = (messages: readonly StoredMessage[]) =>
  messages.map(({ value }) => Buffer.from(value).toString())

let folder: string
let log: EventLog

describe.each([
  ['in memory', () => memoryEventLog()],
  ['in LMDB', () => lmdbEventLog({ folder })],
])('an event log %s', (_name, make) => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'foldscan-log-'))
    log = make()
  })
  afterEach(async () => {
    await log.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('gives offsets from 0 on, without holes', async () => {
    expect(await log.end('a')).toBe(0)
    expect(await log.append('a', [said('1'), said('2')])).toEqual([0, 1])
    expect(await log.append('a', [said('3')])).toEqual([2])
    expect(await log.begin('a')).toBe(0)
    expect(await log.end('a')).toBe(3)
    expect((await log.read('a', 0, all)).map(({ offset }) => offset)).toEqual([0, 1, 2])
  })

  test('keeps the key and the bytes of a message', async () => {
    const value = Buffer.from([0, 255, 10, 0])
    await log.append('a', [{ key: 'ключ', value }])
    const [message] = await log.read('a', 0, all)
    expect(message?.key).toBe('ключ')
    expect(Buffer.from(message?.value ?? []).equals(value)).toBe(true)
  })

  test('does not mix topics, even if one name begins with the other', async () => {
    await log.append('blocks', [said('block')])
    await log.append('blocks.dead-letters', [said('letter')])
    await log.append('block', [said('other')])
    expect(textsOf(await log.read('blocks', 0, all))).toEqual(['block'])
    expect(textsOf(await log.read('blocks.dead-letters', 0, all))).toEqual(['letter'])
    expect(await log.end('block')).toBe(1)
  })

  test('reads from an offset, at most as many messages as asked for', async () => {
    await log.append('a', ['0', '1', '2', '3'].map(said))
    const limit = { messagesMax: 2, bytesMax: 1000 }
    expect(textsOf(await log.read('a', 1, limit))).toEqual(['1', '2'])
    expect(await log.read('a', 4, all)).toEqual([])
  })

  test('stops at the bound of bytes, but never before the first message', async () => {
    await log.append('a', ['x'.repeat(100), 'y'.repeat(100), 'z'].map(said))
    expect(await log.read('a', 0, { messagesMax: 10, bytesMax: 1 })).toHaveLength(1)
    expect(await log.read('a', 0, { messagesMax: 10, bytesMax: 150 })).toHaveLength(2)
  })

  test('keeps what it gave when more is appended', async () => {
    await log.append('a', ['first'.repeat(500), 'second'.repeat(500)].map(said))
    const early = await log.read('a', 0, all)
    for (let at = 0; at < 50; at++) await log.append('a', [said('late'.repeat(500))])
    await log.read('a', 0, all)
    expect(textsOf(early)).toEqual(['first'.repeat(500), 'second'.repeat(500)])
  })

  test('gives appends that race each a place of their own', async () => {
    const firsts = await Promise.all(['0', '1', '2'].map((text) => log.append('a', [said(text)])))
    expect(firsts.flat().sort()).toEqual([0, 1, 2])
    expect(await log.end('a')).toBe(3)
  })

  test('says that an offset beyond its end is lost, to a reader and to who waits', async () => {
    await log.append('a', [said('1')])
    const beyond = log.read('a', 3, all)
    await expect(beyond).rejects.toThrow('topic a holds offsets 0 to 1, and 3 is asked for')
    await expect(beyond).rejects.toMatchObject({ held: { begin: 0, end: 1 } })
    await log.waitBeyond('a', 3, new AbortController().signal)
  })

  test('wakes who waits for the next message', async () => {
    const woken = log.waitBeyond('a', 0, new AbortController().signal)
    await log.append('a', [said('1')])
    await woken
    await log.waitBeyond('a', 0, new AbortController().signal)
  })

  test('wakes who waits when the signal aborts, or the log closes', async () => {
    const abort = new AbortController()
    const aborted = log.waitBeyond('a', 0, abort.signal)
    abort.abort()
    await aborted
    const closed = log.waitBeyond('a', 0, new AbortController().signal)
    await log.close()
    await closed
  })
})

describe('an event log in LMDB', () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'foldscan-log-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test('holds what was appended when it is opened again', async () => {
    const before = lmdbEventLog({ folder })
    await before.append('a', [said('x'.repeat(10_000)), said('2')])
    await before.close()
    const after = lmdbEventLog({ folder })
    expect(textsOf(await after.read('a', 0, all))).toEqual(['x'.repeat(10_000), '2'])
    expect(await after.append('a', [said('3')])).toEqual([2])
    await after.close()
  })

  test('keeps the newest messages of a bounded topic, whose offsets keep counting', async () => {
    const options = { folder, keptMessagesMax: new Map([['a', 3]]) }
    const log = lmdbEventLog(options)
    for (let at = 0; at < 10; at++) await log.append('a', [said(`${at}`)])
    for (const other of ['0', '1', '2', '3', '4']) await log.append('ab', [said(other)])
    expect(await log.begin('a')).toBe(7)
    expect((await log.read('a', 7, all)).map(({ offset }) => offset)).toEqual([7, 8, 9])
    expect(textsOf(await log.read('a', 8, all))).toEqual(['8', '9'])
    expect(await log.read('ab', 0, all)).toHaveLength(5)
    expect(await log.append('a', ['10', '11', '12', '13', '14'].map(said))).toEqual([
      10, 11, 12, 13, 14,
    ])
    await expect(log.read('a', 11, all)).rejects.toThrow(OffsetLost)
    expect(textsOf(await log.read('a', await log.begin('a'), all))).toEqual(['12', '13', '14'])
    await log.close()
    const after = lmdbEventLog(options)
    expect(await after.end('a')).toBe(15)
    await after.close()
  })

  test('is bounded for every topic that need not be kept', () => {
    expect(embeddedBounds.get('changes')).toBeGreaterThan(0)
    expect(embeddedBounds.get('blocks.dead-letters')).toBeGreaterThan(0)
    expect(embeddedBounds.has('blocks')).toBe(false)
    for (const { name, retentionDays } of topics) {
      expect(embeddedBounds.has(name), name).toBe(retentionDays !== null)
    }
  })

  test('of a newer format is refused with one sentence, and not touched', async () => {
    const file = join(folder, 'log.lmdb')
    const newer = openEnvironment(file, { compression: true })
    await newer.put(Buffer.from('\0format'), Buffer.from('7'))
    await newer.close()
    expect(() => lmdbEventLog({ folder })).toThrow(
      `${file} was written by a newer Foldscan: its format is 7, this one reads up to 1`,
    )
    const again = openEnvironment(file, { compression: true })
    expect(`${again.get(Buffer.from('\0format'))}`).toBe('7')
    await again.close()
  })

  test('says its format from the first append on, and reads a file that says none', async () => {
    const first = lmdbEventLog({ folder })
    await first.append('a', [said('1')])
    await first.close()
    const file = openEnvironment(join(folder, 'log.lmdb'), { compression: true })
    expect(`${file.get(Buffer.from('\0format'))}`).toBe('1')
    await file.remove(Buffer.from('\0format'))
    await file.close()
    const second = lmdbEventLog({ folder })
    expect(textsOf(await second.read('a', 0, all))).toEqual(['1'])
    await second.close()
  })
})
