import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lmdbEventLog } from '../../libs/adapters/lmdb/lmdb-event-log.ts'
import { lmdbStateStore } from '../../libs/adapters/lmdb/lmdb-state-store.ts'
import { stripTypes } from '../support/strip-types.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest()

let folder: string
let file: string

describe('a log file that is not whole is named when it is opened', () => {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'foldscan-broken-'))
    file = join(folder, 'log.lmdb')
    const eventLog = lmdbEventLog({ folder })
    for (let at = 0; at < 20; at++) {
      // Incompressible, so that the file is mostly messages.
      const digests = Array.from({ length: 600 }, (_, part) => sha256(`${at} ${part}`))
      await eventLog.append('blocks', [{ key: 'k', value: Buffer.concat(digests) }])
    }
    await eventLog.close()
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
      const eventLog = lmdbEventLog({ folder })
      const read = eventLog.read('blocks', 0, { messagesMax: 100, bytesMax: 10_000_000 })
      await read.catch((error) => {
        named += 1
        expect(String(error)).toContain('fails its checksum')
      })
      await eventLog.close()
    }
    expect(named).toBeGreaterThan(0)
  })
})

const adapters = new URL('../../libs/adapters/lmdb/', import.meta.url)

/**
 * Opens it in a process that may create files but not write a byte: LMDB creates its two, and dies
 * of the first write. @returns the signal
 */
function diedCreating(module: string, opener: string, folder: string): string | null {
  const script = `
    import { ${opener} } from '${new URL(module, adapters)}'
    ${opener}({ folder: ${JSON.stringify(folder)} })`
  const node = [process.execPath, ...stripTypes, '--input-type=module', '--eval', script]
  return spawnSync('prlimit', ['--fsize=0', ...node]).signal
}

describe('a file whose process died before its first byte', () => {
  test.each([
    { name: 'log', module: 'lmdb-event-log.ts', open: lmdbEventLog },
    { name: 'state', module: 'lmdb-state-store.ts', open: lmdbStateStore },
  ])('is created by the next start: $name', async ({ name, module, open }) => {
    const own = mkdtempSync(join(tmpdir(), 'foldscan-killed-'))
    expect(diedCreating(module, open.name, own)).not.toBeNull()
    expect(readdirSync(own)).not.toEqual([])
    const kept = `${name}.lmdb.bak`
    writeFileSync(join(own, kept), 'a copy of an operator')
    await open({ folder: own }).close()
    expect(readdirSync(own).sort()).toEqual([`${name}.lmdb`, `${name}.lmdb-lock`, kept])
    rmSync(own, { recursive: true })
  })
})
