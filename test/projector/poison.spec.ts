import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe } from 'vitest'
import { lmdbEventLog } from '../../libs/adapters/lmdb/lmdb-event-log.ts'
import { embeddedBounds } from '../../libs/topics/topics.ts'
import { poisonLaws } from '../support/poison-laws.ts'

describe('poison in a log on the disk', () => {
  const folders: string[] = []
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })
  poisonLaws(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'foldscan-poison-'))
    folders.push(folder)
    const eventLog = lmdbEventLog({ folder, keptMessagesMax: embeddedBounds })
    return () => eventLog
  })
})
