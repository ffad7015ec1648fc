import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { seededRandom } from '../../benchmarks/seeded-random.ts'
import { lmdbStateStore } from '../../libs/adapters/lmdb/lmdb-state-store.ts'
import { stripTypes } from '../support/strip-types.ts'

/** More than a transaction holds: each commit is done in six parts. */
const keys = 5_500

/** Every round writes its number under every key, and a key that only it has. */
const script = `
  import { lmdbStateStore } from './libs/adapters/lmdb/lmdb-state-store.ts'
  const state = lmdbStateStore({ folder: process.argv[1] })
  const keyOf = (key) => Buffer.from((0x1000_0000 + key).toString(16), 'hex')
  const own = (round) => Buffer.from([1, round >> 8, round & 255])
  for (let round = 1; ; round++) {
    const value = Buffer.alloc(40)
    value.writeUInt32BE(round)
    const writes = Array.from({ length: ${keys} }, (_, key) => [keyOf(key), value])
    try {
      await state.commit([...writes.reverse(), [own(round), value], [own(round - 1), null]])
    } catch (error) {
      process.stdout.write('failed: ' + error.message)
      process.exit(0)
    }
    process.stdout.write(round + '\\n')
  }
`
const node = [...stripTypes, '--input-type=module', '-e', script]

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'foldscan-great-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** @returns the round of all that the volume holds. */
async function heldRound(): Promise<number> {
  const state = lmdbStateStore({ folder })
  const held = [...state.scan(Buffer.alloc(0), 2 * keys)]
  await state.close()
  const rounds = new Set(held.map(({ value }) => value.readUInt32BE(0)))
  expect(rounds.size).toBe(1)
  expect(held).toHaveLength(keys + 1)
  expect(held[0]?.key.readUInt16BE(1)).toBe([...rounds][0])
  return [...rounds][0] ?? 0
}

describe('a commit that is too great for one transaction', () => {
  test('is there as a whole or not at all, whenever the process is killed', async () => {
    const seed = Date.now() % 100_000
    const { below } = seededRandom(seed)
    for (let kill = 1; kill <= 8; kill++) {
      rmSync(folder, { recursive: true, force: true })
      const writer = spawn(process.execPath, [...node, folder])
      let said = ''
      const wanted = 1 + below(3)
      await new Promise<void>((resolve) => {
        writer.stdout.on('data', (bytes) => {
          said += bytes
          // A few milliseconds lie between the steps of the commit that follows.
          if (said.split('\n').length > wanted) setTimeout(resolve, below(60))
        })
      })
      writer.kill('SIGKILL')
      await once(writer, 'close')
      const acknowledged = said.split('\n').length - 1
      const round = await heldRound()
      expect(round, `seed ${seed}, kill ${kill}`).toBeGreaterThanOrEqual(acknowledged)
      expect(round, `seed ${seed}, kill ${kill}`).toBeLessThanOrEqual(acknowledged + 1)
    }
  }, 60_000)

  test('that the disk does not hold fails in words, and is whole after the next start', async () => {
    const output = execFileSync(
      'bash',
      ['-c', 'ulimit -f 1100; exec "$@"', 'bash', process.execPath, ...node, folder],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    )
    expect(output).toContain(`failed: ${folder}/state.lmdb cannot be`)
    const acknowledged = output.split('\n').length - 1
    const round = await heldRound()
    expect(round).toBeGreaterThanOrEqual(acknowledged)
    expect(round).toBeLessThanOrEqual(acknowledged + 1)
  })
})
