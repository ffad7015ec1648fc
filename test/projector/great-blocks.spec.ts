import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { lmdbEventLog } from '../../libs/adapters/lmdb/lmdb-event-log.ts'
import type { Store } from '../../libs/ports/store.ts'
import { partBytesMax, partOf } from '../../libs/topics/parts.ts'
import { testStore } from '../support/engine.ts'
import { chainWithGreatBlock, type GreatKind } from '../support/great-blocks.ts'

const top = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'foldscan-great-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Memory of its own that a process had at most, by looks at it; mapped files left out. */
async function peakMiBOf(args: readonly string[]): Promise<number> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', 'test/support/fold-great-block.ts', ...args],
    {
      cwd: top,
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  let peakMiB = 0
  const timer = setInterval(() => {
    peakMiB = Math.max(peakMiB, privateMiB(child.pid ?? 0))
  }, 20)
  const code = await new Promise((resolve) => child.once('exit', resolve))
  clearInterval(timer)
  expect(code, args.slice(0, 3).join(' ')).toBe(0)
  return peakMiB
}

function privateMiB(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

/** Messages of the log and the largest of them, and whether any is a part. */
async function lookAtLog(place: string) {
  const log = lmdbEventLog({ folder: join(place, 'log') })
  const sizes: number[] = []
  let parts = 0
  for (let offset = 0; offset < (await log.end('blocks')); offset++) {
    const [stored] = await log.read('blocks', offset, { messagesMax: 1, bytesMax: 1 })
    sizes.push(stored?.value.length ?? 0)
    if (stored !== undefined && partOf(stored.value) !== null) parts += 1
  }
  await log.close()
  return { largest: Math.max(...sizes), parts }
}

/** What the tables hold of the chain, in words that do not need all of it at once. */
async function restingIn(store: Store) {
  const ask = async (sql: string) => Number((await store.query(sql, {})).readBigUInt64LE(0))
  const inputs = await store.query(
    'SELECT lower(hex(SHA256(input))) AS input FROM transactions ORDER BY blockNumber, index',
    {},
  )
  return {
    logs: await ask('SELECT count() FROM logs_by_transaction'),
    transfers: await ask('SELECT count() FROM transfers_by_transaction'),
    positions: await ask(
      'SELECT min(position) FROM (SELECT `group`, max(position) AS position FROM progress GROUP BY `group`)',
    ),
    inputs: createHash('sha256').update(inputs).digest('hex'),
  }
}

function expectedOf(kind: GreatKind, megabytes: number) {
  const blocks = [...chainWithGreatBlock(kind, megabytes).blocks.values()]
  const transactions = blocks.flatMap((block) => block.transactions)
  const logs = transactions.reduce((sum, { logs }) => sum + logs.length, 0)
  const digests = transactions.map(({ input }) => {
    const digest = createHash('sha256')
      .update(Buffer.from(input.slice(2), 'hex'))
      .digest('hex')
    return Buffer.concat([Buffer.from([digest.length]), Buffer.from(digest)])
  })
  return {
    logs,
    transfers: kind === 'transfers' ? logs : 0,
    positions: 3,
    inputs: createHash('sha256').update(Buffer.concat(digests)).digest('hex'),
  }
}

interface Great {
  readonly kind: GreatKind
  readonly megabytes: number
  /** What publishing it may take, and what folding it by both groups in one process. */
  readonly publishedMiBMax: number
  readonly foldedMiBMax: number
}

test.each<Great>([
  { kind: 'logs', megabytes: 1, publishedMiBMax: 200, foldedMiBMax: 256 },
  { kind: 'inputs', megabytes: 20, publishedMiBMax: 400, foldedMiBMax: 512 },
  { kind: 'transfers', megabytes: 20, publishedMiBMax: 400, foldedMiBMax: 640 },
  { kind: 'inputs', megabytes: 100, publishedMiBMax: 700, foldedMiBMax: 768 },
  { kind: 'logs', megabytes: 100, publishedMiBMax: 800, foldedMiBMax: 1_280 },
])(
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
    expect(await restingIn(store)).toEqual(expectedOf(kind, megabytes))
    expect(published).toBeLessThan(publishedMiBMax)
    expect(folded).toBeLessThan(foldedMiBMax)
    await drop()
    rmSync(place, { recursive: true })
  },
  300_000,
)
