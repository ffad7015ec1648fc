import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { Store } from '../libs/ports/store.ts'
import { transfersByTransaction } from '../libs/tables/tables/transfers.ts'
import { steadyAsks } from '../test/services/steady-asks.ts'
import { chainWithGreatBlock, greatBlockProcess } from '../test/support/great-blocks.ts'
import type { Running } from '../test/up/running.ts'
import { benchmark } from './benchmark.ts'
import { type Figure, figureOf } from './report/result.ts'
import type { Workspace } from './workspace.ts'

/** Less than the chart's projectors have. */
const heapMaxMiB = 1_152
const askEveryMs = 50
const quietMs = 5_000
const pauseGoalMs = 200
const latencyGoalMs = 50
/** Of the only transaction of the first block. */
const page = `/api/v2/addresses/0x${'abc'.padStart(40, '0')}/transactions`

const pausesForm = z.object({
  seconds: z.number(),
  longestMs: z.number(),
  longestCpuMs: z.number(),
  heapMiB: z.number(),
  rssMiB: z.number(),
})
type Pauses = z.output<typeof pausesForm>
const portForm = z.object({ port: z.int() })

const top = fileURLToPath(new URL('../', import.meta.url))

export const greatBlock = benchmark({
  name: 'great-block',
  about: 'a block of the costliest transfers, in each projector and in one process with the API',
  method:
    'Batches of new ids whose two arrays are the same words: 490 gas and 64 characters a transfer. ' +
    'The block is published, folded by each group and taken back, in processes of their own whose ' +
    'rows go nowhere. Then one process does all of it, as `foldscan up`, with the embedded engine, ' +
    `and a cached page is asked for every ${askEveryMs} ms, whether or not those before were ` +
    `answered. Their heaps have ${heapMaxMiB} MiB. A pause is what a timer of 5 ms is late, and the ` +
    'processor time of all threads in it. Transfers are counted in the tables.',
  limits:
    'A pause contains the time in which the thread waits for a processor or the disk: only on an ' +
    'idle machine is it its own. Blocks come from memory; no node, no Kafka.',
  seed: null,
  needs: 'engine',
  sizes: {
    kilobytes: { about: 'of the block: 52,000 are 400 million gas', full: 52_000, quick: 20 },
  },
  async run({ kilobytes }, { workspace: opened, progress }) {
    const workspace = await opened()
    const folder = await workspace.folder('great')
    const figures: Figure[] = []
    const take = async (role: string, name: string) => {
      const found = await lifeOf(role, kilobytes, folder)
      progress(`${name}: ${JSON.stringify(found)}`)
      figures.push(...figuresOf(name, found, 0))
    }
    await take('ingest', 'ingestor')
    await take('ledger', 'ledger')
    await take('state', 'state')
    await lifeOf('revert', kilobytes, folder)
    // Their store has no progress, so that both begin anew: with the block, then without.
    await take('ledger', 'ledger, again and taken back')
    await take('state', 'state, again and taken back')
    return [...figures, ...(await allInOne(kilobytes, workspace))]
  },
})

async function lifeOf(role: string, kilobytes: number, folder: string): Promise<Pauses> {
  const given = [role, 'ids', `${kilobytes / 1_000}`, folder]
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${heapMaxMiB}`, ...greatBlockProcess, ...given],
    { cwd: top, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let said = ''
  child.stdout.on('data', (bytes) => {
    said += bytes
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${role} ended with ${code}`)
  return pausesForm.parse(JSON.parse(said))
}

async function allInOne(kilobytes: number, workspace: Workspace): Promise<Figure[]> {
  const store = await workspace.store('great')
  const options = JSON.stringify({ ...workspace.address, database: 'great' })
  const script = fileURLToPath(new URL('./great-block/all-in-one.ts', import.meta.url))
  const given = [script, `${kilobytes / 1_000}`, await workspace.folder('all'), options]
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${heapMaxMiB}`, ...process.execArgv, ...given],
    { cwd: top, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  )
  try {
    const { port } = portForm.parse(await messageOf(child))
    const service = servedAt(port)
    const before = await askedWhile(service, () => pause(quietMs))
    const during = await askedWhile(service, () => {
      child.send('go')
      return messageOf(child)
    })
    const found = pausesForm.parse(during.result)
    const checked = await checkTransfers(store, kilobytes)
    const latencies = [0.5, 0.99, 1].map((part) =>
      figureOf({
        name: `all in one process, a cached page, ${part === 1 ? 'longest' : `p${part * 100}`}`,
        unit: 'ms',
        values: [percentile(during.times, part)],
        baseline: { part: 'quiet', values: [percentile(before.times, part)] },
        goal: part === 0.99 ? atMost(latencyGoalMs) : undefined,
        checkedAnswers: during.times.length,
      }),
    )
    return [...figuresOf('all in one process', found, checked), ...latencies]
  } finally {
    child.kill('SIGKILL')
  }
}

/** @throws if the process ends before it sends one */
async function messageOf(child: ChildProcess): Promise<unknown> {
  const listening = new AbortController()
  const { signal } = listening
  const ended = async () => {
    const [code] = await once(child, 'exit', { signal })
    throw new Error(`the process of all ended with ${code}`)
  }
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), ended()])
    return message
  } finally {
    listening.abort()
  }
}

const servedAt = (port: number) => ({
  async get(path: string) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`)
    const { status, headers } = response
    return { status, headers, body: await response.json() }
  },
})

/** @returns how long each answer took, in ms. @throws if one has another status than 200 */
async function askedWhile<T>(service: Pick<Running, 'get'>, work: () => Promise<T>) {
  const asks = steadyAsks(service, askEveryMs, () => page)
  const result = await work()
  const answered = await asks.stop()
  const failed = answered.find(({ status }) => status !== 200)
  if (failed !== undefined) throw new Error(`${page}: status ${failed.status}`)
  return { result, times: answered.map(({ ms }) => ms) }
}

const percentile = (times: readonly number[], part: number): number => {
  const sorted = [...times].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}

/** @returns the number of transfers. @throws if the tables hold others than the block */
async function checkTransfers(store: Store, kilobytes: number): Promise<number> {
  const counted = await store.query(`SELECT count() FROM ${transfersByTransaction.stored}`, {})
  const found = Number(counted.readBigUInt64LE(0))
  // Behind two offsets and the length come the words that are ids and values.
  const blocks = [...chainWithGreatBlock('ids', kilobytes / 1_000).blocks.values()]
  const expected = blocks
    .flatMap(({ transactions }) => transactions.flatMap(({ logs }) => logs))
    .reduce((sum, { data }) => sum + (data.length - 2) / 64 - 3, 0)
  if (found !== expected) throw new Error(`${found} transfers in the tables, not ${expected}`)
  return found
}

const atMost = (limit: number) => ({ of: 'value', bound: 'at most', limit }) as const

const figuresOf = (name: string, found: Pauses, checkedAnswers: number): readonly Figure[] => [
  figureOf({ name, unit: 's', values: [found.seconds], checkedAnswers }),
  figureOf({
    name: `${name}, longest pause`,
    unit: 'ms',
    values: [found.longestMs],
    goal: atMost(pauseGoalMs),
    checkedAnswers,
  }),
  figureOf({
    name: `${name}, processor time in a pause`,
    unit: 'ms',
    values: [found.longestCpuMs],
    checkedAnswers,
  }),
  figureOf({
    name: `${name}, heap at most`,
    unit: 'MiB',
    values: [found.heapMiB],
    goal: atMost(heapMaxMiB),
    checkedAnswers,
  }),
  figureOf({
    name: `${name}, resident at most`,
    unit: 'MiB',
    values: [found.rssMiB],
    checkedAnswers,
  }),
]
