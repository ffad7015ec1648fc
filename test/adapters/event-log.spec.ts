import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lmdbEventLog } from '../../libs/adapters/lmdb/lmdb-event-log.ts'
import { openEnvironment } from '../../libs/adapters/lmdb/open-environment.ts'
import { OffsetLost } from '../../libs/ports/event-log.ts'
import { MemoryTopics, memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { embeddedBounds, topics } from '../../libs/topics/topics.ts'
import { all, eventLogLaws, textMessage, textsOf } from './event-log-laws.ts'

let folder: string

eventLogLaws('in memory', async () => {
  const topics = new MemoryTopics()
  const eventLog = memoryEventLog(topics)
  return { eventLog, end: () => eventLog.close(), openAgain: () => memoryEventLog(topics) }
})

eventLogLaws('in LMDB', async () => {
  const own = mkdtempSync(join(tmpdir(), 'foldscan-log-'))
  const eventLog = lmdbEventLog({ folder: own })
  const end = async () => {
    await eventLog.close()
    rmSync(own, { recursive: true, force: true })
  }
  return { eventLog, end, openAgain: () => lmdbEventLog({ folder: own }) }
})

describe('an event log in LMDB', () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'foldscan-log-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test('holds what was appended when it is opened again', async () => {
    const before = lmdbEventLog({ folder })
    await before.append('a', [textMessage('x'.repeat(10_000)), textMessage('2')])
    await before.close()
    const after = lmdbEventLog({ folder })
    expect(textsOf(await after.read('a', 0, all))).toEqual(['x'.repeat(10_000), '2'])
    expect(await after.append('a', [textMessage('3')])).toEqual([2])
    await after.close()
  })

  test('keeps the newest messages of a bounded topic, whose offsets keep counting', async () => {
    const options = { folder, keptMessagesMax: new Map([['a', 3]]) }
    const eventLog = lmdbEventLog(options)
    for (let at = 0; at < 10; at++) await eventLog.append('a', [textMessage(`${at}`)])
    for (const other of ['0', '1', '2', '3', '4']) await eventLog.append('ab', [textMessage(other)])
    expect(await eventLog.begin('a')).toBe(7)
    expect((await eventLog.read('a', 7, all)).map(({ offset }) => offset)).toEqual([7, 8, 9])
    expect(textsOf(await eventLog.read('a', 8, all))).toEqual(['8', '9'])
    expect(await eventLog.read('ab', 0, all)).toHaveLength(5)
    expect(await eventLog.append('a', ['10', '11', '12', '13', '14'].map(textMessage))).toEqual([
      10, 11, 12, 13, 14,
    ])
    await expect(eventLog.read('a', 11, all)).rejects.toThrow(OffsetLost)
    expect(textsOf(await eventLog.read('a', await eventLog.begin('a'), all))).toEqual([
      '12',
      '13',
      '14',
    ])
    await eventLog.close()
    const after = lmdbEventLog(options)
    expect(await after.end('a')).toBe(15)
    await after.close()
  })

  test('is bounded for every topic that need not be kept', () => {
    expect(embeddedBounds.get('changes')).toBeGreaterThan(0)
    expect(embeddedBounds.get('token-facts.dead-letters')).toBeGreaterThan(0)
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
      `${file} was written by a newer Foldscan: its format is 7, this one reads up to 2`,
    )
    const again = openEnvironment(file, { compression: true })
    expect(`${again.get(Buffer.from('\0format'))}`).toBe('7')
    await again.close()
  })

  test('reads what a program appended that recorded no times', async () => {
    const first = lmdbEventLog({ folder })
    const before = Date.now()
    await first.append('a', [textMessage('new')])
    await first.close()
    const file = openEnvironment(join(folder, 'log.lmdb'), { compression: true })
    const rest = Buffer.concat([Buffer.from([0, 1]), Buffer.from('kold')])
    const checksum = Buffer.alloc(4)
    checksum.writeUInt32BE(crc32(rest))
    const key = Buffer.concat([Buffer.from('a'), Buffer.alloc(8), Buffer.from([1])])
    await file.put(key, Buffer.concat([checksum, rest]))
    await file.close()
    const second = lmdbEventLog({ folder })
    const [newer, older] = await second.read('a', 0, all)
    expect(newer?.time).toBeGreaterThanOrEqual(before)
    expect(older).toEqual({ offset: 1, key: 'k', value: Buffer.from('old') })
    await second.close()
  })

  test('records its format from the first append on, and reads a file without one', async () => {
    const first = lmdbEventLog({ folder })
    await first.append('a', [textMessage('1')])
    await first.close()
    const file = openEnvironment(join(folder, 'log.lmdb'), { compression: true })
    expect(`${file.get(Buffer.from('\0format'))}`).toBe('2')
    await file.remove(Buffer.from('\0format'))
    await file.close()
    const second = lmdbEventLog({ folder })
    expect(textsOf(await second.read('a', 0, all))).toEqual(['1'])
    await second.close()
  })
})
