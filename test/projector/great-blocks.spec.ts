import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { lmdbEventLog } from '../../libs/adapters/lmdb/lmdb-event-log.ts'
import { parsePart, partBytesMax } from '../../libs/topics/parts.ts'
import { testStore } from '../support/engine.ts'
import { type GreatKind, greatBlockProcess } from '../support/great-blocks.ts'
import { greatRowsIn, greatRowsOf } from '../support/great-rows.ts'
import { watchMemory } from '../support/watch-memory.ts'

const top = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'foldscan-great-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The process of a role: the memory that it had at most, and what it says of its event loop. */
async function lifeOf(args: readonly string[], flags: readonly string[] = []) {
  const child = spawn(process.execPath, [...flags, ...greatBlockProcess, ...args], {
    cwd: top,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const peak = watchMemory(child.pid ?? 0)
  let said = ''
  child.stdout.on('data', (bytes) => {
    said += bytes
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  expect(code, args.slice(0, 3).join(' ')).toBe(0)
  const { longestCpuMs } = pausesForm.parse(JSON.parse(said))
  return { peakMiB: peak.end(), longestCpuMs }
}

const pausesForm = z.object({ longestCpuMs: z.number() })

const peakMiBOf = async (args: readonly string[]) => (await lifeOf(args)).peakMiB

/** Messages of the log and the largest of them, and whether any is a part. */
async function lookAtLog(place: string) {
  const eventLog = lmdbEventLog({ folder: join(place, 'log') })
  const sizes: number[] = []
  let parts = 0
  for (let offset = 0; offset < (await eventLog.end('blocks')); offset++) {
    const [stored] = await eventLog.read('blocks', offset, { messagesMax: 1, bytesMax: 1 })
    sizes.push(stored?.value.length ?? 0)
    if (stored !== undefined && parsePart(stored.value) !== null) parts += 1
  }
  await eventLog.close()
  return { largest: Math.max(...sizes), parts }
}

interface Great {
  readonly kind: GreatKind
  readonly megabytes: number
  /** What publishing it may take, and what folding it by both groups in one process. */
  readonly publishedMiBMax: number
  readonly foldedMiBMax: number
}

const greatBlocks: readonly Great[] = [
  { kind: 'logs', megabytes: 1, publishedMiBMax: 200, foldedMiBMax: 256 },
  { kind: 'inputs', megabytes: 20, publishedMiBMax: 400, foldedMiBMax: 512 },
  { kind: 'transfers', megabytes: 20, publishedMiBMax: 400, foldedMiBMax: 640 },
  { kind: 'inputs', megabytes: 100, publishedMiBMax: 700, foldedMiBMax: 768 },
  { kind: 'logs', megabytes: 100, publishedMiBMax: 800, foldedMiBMax: 1_280 },
]

test.each(greatBlocks)(
  'a block of $kind of $megabytes MB becomes the rows that it should, in bounded memory',
  async ({ kind, megabytes, publishedMiBMax, foldedMiBMax }) => {
    const place = join(folder, `${kind}-${megabytes}`)
    const { store, address, database, drop } = await testStore()
    const given = [kind, `${megabytes}`, place]
    const published = await peakMiBOf(['ingest', ...given])
    const { largest, parts } = await lookAtLog(place)
    expect(largest).toBeLessThanOrEqual(partBytesMax)
    expect(parts > 0).toBe(megabytes > 8)
    const { url, username, password } = address
    const options = JSON.stringify({ url, username, password, database })
    const folded = await peakMiBOf(['both', ...given, options])
    expect(await greatRowsIn(store)).toEqual(greatRowsOf(kind, megabytes))
    expect(published).toBeLessThan(publishedMiBMax)
    expect(folded).toBeLessThan(foldedMiBMax)
    await drop()
    rmSync(place, { recursive: true })
  },
  300_000,
)

/** Folded at once, 47,000 transfers did not fit into this heap, and blocked the process. */
test('a block of the costliest transfers is folded and taken back in slices', async () => {
  const place = join(folder, 'ids')
  const given = ['ids', '3', place]
  await peakMiBOf(['ingest', ...given])
  await peakMiBOf(['revert', ...given])
  const { longestCpuMs } = await lifeOf(['both', ...given], ['--max-old-space-size=128'])
  expect(longestCpuMs).toBeLessThan(1_000)
}, 120_000)
