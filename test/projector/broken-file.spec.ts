import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lmdbEventLog } from '../../libs/adapters/lmdb/lmdb-event-log.ts'
import { lmdbStateStore } from '../../libs/adapters/lmdb/lmdb-state-store.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest()

let folder: string
let file: string

describe('a log file that is not whole is named when it is opened', () => {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'foldscan-broken-'))
    file = join(folder, 'log.lmdb')
    const log = lmdbEventLog({ folder })
    for (let at = 0; at < 20; at++) {
      // Incompressible, so that the file is mostly messages.
      const digests = Array.from({ length: 600 }, (_, part) => sha256(`${at} ${part}`))
      await log.append('blocks', [{ key: 'k', value: Buffer.concat(digests) }])
    }
    await log.close()
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test('cut to half', () => {
    truncateSync(file, Math.floor(statSync(file).size / 2))
    expect(() => lmdbEventLog({ folder })).toThrow(`${file} is corrupt or half-written`)
  })

  test('cut inside its first page', () => {
    truncateSync(file, 100)
    expect(() => lmdbEventLog({ folder })).toThrow('a meta page is missing')
  })

  test('empty', () => {
    truncateSync(file, 0)
    expect(() => lmdbEventLog({ folder })).toThrow('it is empty')
  })

  test('of another kind', () => {
    writeFileSync(file, 'not a database'.repeat(1000))
    expect(() => lmdbEventLog({ folder })).toThrow('a meta page is missing')
    expect(() => lmdbStateStore({ folder })).not.toThrow()
  })

  test('with a flipped byte in a message', async () => {
    const whole = readFileSync(file)
    let named = 0
    // Somewhere in the middle of the pages that hold messages, never in LMDB's own.
    for (const place of [0.4, 0.5, 0.6, 0.7]) {
      const broken = Buffer.from(whole)
      const at = Math.floor(broken.length * place)
      broken.writeUInt8(broken.readUInt8(at) ^ 0xff, at)
      writeFileSync(file, broken)
      const log = lmdbEventLog({ folder })
      const read = log.read('blocks', 0, { messagesMax: 100, bytesMax: 10_000_000 })
      await read.catch((error) => {
        named += 1
        expect(String(error)).toContain('fails its checksum')
      })
      await log.close()
    }
    expect(named).toBeGreaterThan(0)
  })
})
