import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import { memoryEventLog } from '../../../libs/ports/testing/memory-event-log.ts'
import { importNames } from './import-names.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'foldscan-names-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const tokens = (count: number) =>
  [
    'address,name,symbol,decimals',
    ...Array.from({ length: count }, (_, at) => `0x${`${at}`.padStart(40, '0')},Token,TKN,18`),
    '',
  ].join('\n')

/** A log that counts the messages of each append. */
function countingLog() {
  const eventLog = memoryEventLog()
  const appends: number[] = []
  const counting: EventLog = {
    append(topic, messages) {
      appends.push(messages.length)
      return eventLog.append(topic, messages)
    },
    read: (topic, offset, limit) => eventLog.read(topic, offset, limit),
    begin: (topic) => eventLog.begin(topic),
    end: (topic) => eventLog.end(topic),
    waitBeyond: (topic, offset, signal) => eventLog.waitBeyond(topic, offset, signal),
    close: () => eventLog.close(),
  }
  return { eventLog: counting, appends }
}

test('a file is published in one append, so that a kill leaves all of it or nothing', async () => {
  writeFileSync(join(folder, 'tokens.csv'), tokens(1_200))
  const { eventLog, appends } = countingLog()
  expect(await importNames({ folder, eventLog, time: 1 })).toEqual(new Map([['tokens.csv', 1_200]]))
  expect(appends).toEqual([1_200])
})

test('a log that has facts of a kind keeps them, and a folder without files changes nothing', async () => {
  const { eventLog, appends } = countingLog()
  expect(await importNames({ folder, eventLog, time: 1 })).toEqual(new Map())
  writeFileSync(join(folder, 'tokens.csv'), tokens(1))
  await importNames({ folder, eventLog, time: 1 })
  writeFileSync(join(folder, 'tokens.csv'), tokens(2))
  expect(await importNames({ folder, eventLog, time: 2 })).toEqual(new Map())
  expect(appends).toEqual([1])
})

test('a file of too many facts is refused by its name, and nothing of it is published', async () => {
  writeFileSync(join(folder, 'tokens.csv'), tokens(10_001))
  const { eventLog, appends } = countingLog()
  await expect(importNames({ folder, eventLog, time: 1 })).rejects.toThrow(
    /tokens\.csv has 10001 facts, more than 10000/,
  )
  expect(appends).toEqual([])
})
