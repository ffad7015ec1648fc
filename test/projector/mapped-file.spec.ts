import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { seededRandom } from '../../benchmarks/seeded-random.ts'
import { lmdbEventLog } from '../../libs/adapters/lmdb/lmdb-event-log.ts'
import { lmdbStateStore } from '../../libs/adapters/lmdb/lmdb-state-store.ts'
import { MappedFile } from '../../libs/adapters/lmdb/mapped-file.ts'

/** Pages of files that this process has mapped. */
const mappedMiB = (): number =>
  Number(/^RssFile:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024

const bytesAt = (key: number, round: number): Buffer =>
  Buffer.alloc(key % 50 === 0 ? 100_000 : 40, `${key} ${round} `)

const keyOf = (key: number): Buffer => Buffer.from(key.toString(16).padStart(8, '0'), 'hex')

/** Whether the system reads nothing ahead of what is read in a mapped file: `rr` of proc(5). */
const isReadAtRandom = (file: string) => {
  const mappings = readFileSync('/proc/self/smaps', 'utf8').split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m)
  const flags = mappings
    .filter((mapping) => mapping.split('\n')[0]?.endsWith(file))
    .map((mapping) => / rr /.test(/^VmFlags:.*$/m.exec(mapping)?.[0] ?? ''))
  return new Set(flags)
}

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'foldscan-mapped-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a state is read at random, a log from its begin to its end', async () => {
  const state = lmdbStateStore({ folder })
  const eventLog = lmdbEventLog({ folder })
  await state.commit([[keyOf(1), keyOf(1)]])
  await eventLog.append('blocks', [{ key: '1', value: keyOf(1) }])
  expect(isReadAtRandom(`${folder}/state.lmdb`)).toEqual(new Set([true]))
  expect(isReadAtRandom(`${folder}/log.lmdb`)).toEqual(new Set([false]))
  await state.close()
  await eventLog.close()
})

describe('a mapping that is given back now and then', () => {
  test('is opened again once in so many reads, with turns of other work between them', async () => {
    const form = { compression: false, touchesPerMappingMax: 100 }
    const file = new MappedFile(join(folder, 'some.lmdb'), form)
    const mappings = new Set<unknown>()
    const read = async (count: number) => {
      for (let at = 0; at < count; at++) {
        file.beforeRead()
        mappings.add(file.entries)
        expect(file.entries.getBinary(keyOf(1))).toBeUndefined()
        if (at % 10 === 0) await turn()
      }
    }
    await read(2_000)
    expect(mappings.size).toBeGreaterThan(10)
    expect(mappings.size).toBeLessThanOrEqual(22)
    // A mapping that was written to closes some turns later: one more after each write.
    file.beginWrite()
    await file.entries.put(keyOf(2), keyOf(2))
    const written = file.endWrite(100)
    await read(2_000)
    await written
    expect(mappings.size).toBeLessThanOrEqual(2 * 22)
    await file.close()
  })

  test('changes no answer, while commits are under way or not, in a scan or not', async () => {
    const state = lmdbStateStore({ folder })
    const { below } = seededRandom(7)
    const keys = 2_000
    let stored = 0
    for (let round = 1; round <= 6; round++) {
      const writes = Array.from(
        { length: keys },
        (_, key) => [keyOf(key), bytesAt(key, round)] as const,
      )
      const commit = state.commit(writes)
      const seen = () => {
        const key = below(keys)
        const read = state.get(keyOf(key))
        const before = stored === 0 ? undefined : bytesAt(key, stored)
        expect(
          read === undefined || read.equals(bytesAt(key, round)) || read.equals(before ?? read),
        ).toBe(true)
      }
      for (let at = 0; at < 2_500; at++) seen()
      await commit
      stored = round
      const kept: Buffer[] = []
      for (const { value } of state.scan(Buffer.alloc(0), keys)) {
        if (kept.length % 100 === 0) for (let at = 0; at < 200; at++) seen()
        kept.push(value)
      }
      for (let at = 0; at < 2_500; at++) {
        const key = below(keys)
        expect(state.get(keyOf(key))?.equals(bytesAt(key, round))).toBe(true)
      }
      expect(kept.every((value, key) => value.equals(bytesAt(key, round)))).toBe(true)
    }
    await state.close()
    expect(() => state.get(keyOf(1))).toThrow('is closed')
  })

  test('keeps a log that is read from its begin to its end from staying in memory', async () => {
    const eventLog = lmdbEventLog({ folder })
    const { below } = seededRandom(8)
    const noise = Buffer.from(Array.from({ length: 1_000_000 }, () => below(256)))
    for (let at = 0; at < 100; at++) await eventLog.append('blocks', [{ key: '1', value: noise }])
    await eventLog.close()
    const again = lmdbEventLog({ folder })
    // As a source does that has published all it had: written once, from then on only read.
    await again.append('blocks', [{ key: '1', value: noise }])
    const before = mappedMiB()
    const values: Uint8Array[] = []
    for (let at = 0; at < 100; at++) {
      const [message] = await again.read('blocks', at, { messagesMax: 1, bytesMax: 1 })
      if (at < 3 && message !== undefined) values.push(message.value)
    }
    expect(mappedMiB() - before).toBeLessThan(75)
    expect(values.map((value) => noise.equals(value))).toEqual([true, true, true])
    await again.close()
  })

  test('keeps a great commit from mapping all of a great state', async () => {
    const state = lmdbStateStore({ folder })
    const { below } = seededRandom(9)
    const noise = (): Buffer => Buffer.alloc(1_000, below(256))
    const keys = 120_000
    for (let from = 0; from < keys; from += 40_000) {
      await state.commit(
        Array.from({ length: 40_000 }, (_, at) => [keyOf((from + at) * 7_919), noise()] as const),
      )
    }
    const before = mappedMiB()
    let most = 0
    const watch = setInterval(() => {
      most = Math.max(most, mappedMiB() - before)
    }, 1)
    await state.commit(
      Array.from({ length: 20_000 }, () => [keyOf(below(keys) * 7_919), noise()] as const),
    )
    clearInterval(watch)
    // Of 180 MiB. One part maps 1,000 times 64 KiB at most.
    expect(most).toBeLessThan(75)
    await state.close()
  }, 30_000)
})
