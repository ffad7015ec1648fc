import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { routes } from '../services/api/endpoints/routes.ts'
import { until } from '../test/support/until.ts'
import type { Running } from '../test/up/running.ts'
import { benchmark } from './benchmark.ts'
import { type Cluster, metricOf, untilReady } from './cluster.ts'
import { type ChainShape, tokensOf } from './generated-chain.ts'
import { quartersOf } from './memory-by-quarter.ts'
import { processNow } from './processes.ts'
import { checkPages, type RequestedPage, untilIndexed } from './read/check-pages.ts'
import { type Figure, figureOf } from './report/result.ts'
import { seededRandom } from './seeded-random.ts'

const sampleMs = 250
const goalMiB = 512
/** A busy machine takes its time. */
const phaseMaxMs = 6 * 60 * 60 * 1_000
const askPauseMs = 50

export const memory = benchmark({
  name: 'memory',
  about: 'memory of each service through a replay, on real servers of this machine',
  method:
    'An ingestor publishes a generated chain from a node; then all projectors fold it from the ' +
    'beginning while one client asks the API for random token lists. Memory without mapped files ' +
    `is sampled every ${sampleMs} ms; the peak of the kernel includes mapped files. Afterwards one ` +
    'list in a hundred is compared with a statement that sorts all rows of its subject.',
  limits: 'The caches of the API are not filled to their bounds, and holders are below a million.',
  seed: 1,
  needs: 'cluster',
  sizes: { transfers: { about: 'transfers published and folded', full: 2_000_000, quick: 4_000 } },
  async run({ transfers }, context) {
    const transfersPerBlock = 400
    const blocks = Math.ceil(transfers / transfersPerBlock)
    // A little more than is asked for, as each block has at least its share.
    const shape = { seed: 1, transfers: transfers * 2, transfersPerBlock, tokens: 300 }
    const cluster = await context.cluster()
    const node = await startNode({ ...shape, accounts: 200_000 }, blocks)
    try {
      const ingestor = cluster.start('ingestor', { source: node.url, 'from-block': '1' })
      const published = () => metricOf(ingestor, 'foldscan_published_position')
      const publishing = await measured(
        'publishing',
        { ingestor },
        async () => (await published()) >= blocks,
      )
      const last = await published()
      ingestor.kill('SIGTERM')
      await ingestor.exited
      node.end()
      context.progress(`published ${last} blocks`)
      return [...publishing, ...(await replay(cluster, last))]
    } finally {
      node.end()
    }
  },
})

/** All from the beginning, while the api is asked. */
async function replay(cluster: Cluster, last: number): Promise<Figure[]> {
  const start = (group: string) => cluster.start('projector', { group })
  const [ledger, state, dimensions] = [start('ledger'), start('state'), start('dimensions')]
  const api = cluster.start('api')
  const indexed = (projector: Running, group: string) =>
    metricOf(projector, `foldscan_indexed_position{group="${group}"}`)
  const asking = new AbortController()
  const isOver = async () => {
    const [one, other] = [await indexed(ledger, 'ledger'), await indexed(state, 'state')]
    return Math.min(one, other) >= last
  }
  const [seen, figures] = await Promise.all([
    untilReady(api).then(() => ask(api, asking.signal)),
    measured('replaying', { ledger, state, dimensions, api }, isOver).finally(() => asking.abort()),
  ])
  const port = Number(new URL(await api.origin()).port)
  await untilIndexed(port, await metricOf(ledger, 'foldscan_indexed_block{group="ledger"}'))
  const tables = cluster.tables()
  const checkedAnswers = await checkPages(tables, port, seen).finally(() => tables.close())
  return figures.map((one) => (one.name.includes('api') ? { ...one, checkedAnswers } : one))
}

/** One after the other, so that it has something to cache. @returns the pages that there were */
async function ask(api: Running, signal: AbortSignal): Promise<readonly RequestedPage[]> {
  const random = seededRandom(1)
  const tokens = tokensOf(300)
  const lists = routes.filter(({ subject }) => subject === 'address').map(({ path }) => path)
  const seen = new Map<string, RequestedPage>()
  for (; !signal.aborted; await pause(askPauseMs)) {
    const [route = '', token = ''] = [
      lists[random.below(lists.length)],
      tokens[random.below(tokens.length)],
    ]
    const target = route.replace('{address_hash}', token)
    const { status } = await api.get(target)
    // A token that was not folded yet is unknown.
    if (![200, 404].includes(status)) throw new Error(`${target}: status ${status}`)
    if (status === 200) seen.set(target, { target, route })
  }
  return [...seen.values()]
}

/** Samples all of them until it is over; the most of each quarter. */
async function measured(
  what: string,
  services: Readonly<Record<string, Running>>,
  isOver: () => Promise<boolean>,
): Promise<Figure[]> {
  const names = Object.keys(services)
  const samples: (readonly number[])[] = []
  const all = Object.values(services)
  const sample = () => samples.push(all.map(({ pid }) => processNow(pid).privateMiB))
  const timer = setInterval(sample, sampleMs)
  try {
    await until(`the end of ${what}`, async () => pause(sampleMs).then(isOver), phaseMaxMs)
  } finally {
    clearInterval(timer)
  }
  return names.flatMap((name, at) => {
    const quarters = quartersOf(samples.map((of) => of[at] ?? 0))
    const [first = 0, , , last = 0] = quarters
    const { residentPeakMiB } = processNow(all[at]?.pid ?? 0)
    return [
      figureOf({
        name: `${name}, ${what}, private, last quarter`,
        unit: 'MiB',
        values: [last],
        baseline: { part: 'first quarter', values: [Math.max(1, first)] },
        checkedAnswers: 0,
      }),
      figureOf({
        name: `${name}, ${what}, resident at most`,
        unit: 'MiB',
        values: [residentPeakMiB],
        goal: { of: 'value', bound: 'at most', limit: goalMiB },
        checkedAnswers: 0,
      }),
    ]
  })
}

interface Node {
  readonly url: string
  end(): void
}

async function startNode(shape: ChainShape, blocks: number): Promise<Node> {
  const script = fileURLToPath(new URL('./generated-node.ts', import.meta.url))
  const child: ChildProcess = spawn(
    process.execPath,
    [...process.execArgv, script, JSON.stringify(shape), `${blocks}`],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  if (child.stdout === null) throw new Error('the node has no output')
  const [port] = await once(child.stdout, 'data')
  return {
    url: `http://127.0.0.1:${String(port).trim()}`,
    end: () => void child.kill('SIGKILL'),
  }
}
