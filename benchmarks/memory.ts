import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { routes } from '../services/api/endpoints/routes.ts'
import { until } from '../test/support/until.ts'
import type { Running } from '../test/up/running.ts'
import { benchmark } from './benchmark.ts'
import { type Cluster, metricOf, untilReady } from './cluster.ts'
import { accountAt, type ChainShape, tokensOf } from './generated-chain.ts'
import { quartersOf } from './memory-by-quarter.ts'
import { processNow } from './processes.ts'
import { checkPages, type RequestedPage, untilIndexed } from './read/check-pages.ts'
import { type Figure, figureOf } from './report/result.ts'
import { sampledWhile } from './sampled-while.ts'
import { seededRandom } from './seeded-random.ts'

const sampleMs = 250
const goalMiB = 512
/** A busy machine takes its time. */
const phaseMaxMs = 6 * 60 * 60 * 1_000
const askPauseMs = 50
/** Pages at least: a short replay may be over before the API is ready. */
const askedMin = 20
const accounts = 200_000
/** Bound of the cached pages of a process. */
const cachedPagesMiB = 64
const fillingClients = 8

export const memory = benchmark({
  name: 'memory',
  about: 'memory of each service through a replay, on real servers of this machine',
  method:
    'An ingestor publishes a generated chain from a node; then all projectors fold it from the ' +
    'beginning while one client asks the API for random token lists. Memory without mapped files ' +
    `is sampled every ${sampleMs} ms; the peak of the kernel includes mapped files. Afterwards one ` +
    'list in a hundred is compared with a statement that sorts all rows of its subject. Then first ' +
    'pages of all accounts are requested, each twice, until the API has cached nearly as many as it may.',
  limits: 'Holders are below a million.',
  seed: 1,
  needs: 'cluster',
  sizes: {
    transfers: { about: 'transfers published and folded', full: 2_000_000, quick: 4_000 },
    cachedMebibytes: { about: 'MiB of pages that the API has cached then', full: 60, quick: 1 },
  },
  async run({ transfers, cachedMebibytes }, context) {
    const transfersPerBlock = 400
    const blocks = Math.ceil(transfers / transfersPerBlock)
    // A little more than is asked for, as each block has at least its share.
    const shape = { seed: 1, transfers: transfers * 2, transfersPerBlock, tokens: 300 }
    const cluster = await context.cluster()
    const node = await startNode({ ...shape, accounts }, blocks)
    try {
      const ingestor = cluster.start('ingestor', { source: node.url, 'from-block': '1' })
      const published = () => metricOf(ingestor, 'foldscan_published_position')
      const publishing = await measured(
        { what: 'publishing' },
        { ingestor },
        async () => (await published()) >= blocks,
      )
      const last = await published()
      ingestor.kill('SIGTERM')
      await ingestor.exited
      node.end()
      context.progress(`published ${last} blocks`)
      return [...publishing, ...(await replay(cluster, { last, cachedMebibytes }))]
    } finally {
      node.end()
    }
  },
})

interface Replay {
  /** Position of the last block. */
  readonly last: number
  readonly cachedMebibytes: number
}

/** All from the beginning, while the api is asked. */
async function replay(cluster: Cluster, { last, cachedMebibytes }: Replay): Promise<Figure[]> {
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
    measured({ what: 'replaying' }, { ledger, state, dimensions, api }, isOver).finally(() =>
      asking.abort(),
    ),
  ])
  const port = Number(new URL(await api.origin()).port)
  await untilIndexed(port, await metricOf(ledger, 'foldscan_indexed_block{group="ledger"}'))
  const tables = cluster.tables()
  try {
    const checkedAnswers = await checkPages(tables, port, seen)
    const check = (pages: readonly RequestedPage[]) => checkPages(tables, port, pages)
    const full = await withFullCaches(api, cachedMebibytes, check)
    const ofApi = ({ name }: Figure) => name.includes('api')
    return [...figures.map((one) => (ofApi(one) ? { ...one, checkedAnswers } : one)), ...full]
  } finally {
    await tables.close()
  }
}

/** @throws if all first pages do not fill the cache */
async function withFullCaches(
  api: Running,
  mebibytes: number,
  check: (pages: readonly RequestedPage[]) => Promise<number>,
): Promise<readonly Figure[]> {
  const atMostMiB = goalMiB + cachedPagesMiB
  let isFull = false
  const [figures, filled] = await Promise.all([
    measured({ what: 'full caches', atMostMiB }, { api }, async () => isFull),
    fillCaches(api, mebibytes).finally(() => {
      isFull = true
    }),
  ])
  const bytes = await cachedBytes(api)
  const checkedAnswers = await check(filled)
  return [
    ...figures.map((one) => ({ ...one, checkedAnswers })),
    figureOf({
      name: 'api, cached pages',
      unit: 'MiB',
      values: [bytes / 2 ** 20],
      goal: { of: 'value', bound: 'at most', limit: cachedPagesMiB },
      checkedAnswers,
    }),
  ]
}

const cachedBytes = (api: Running) => metricOf(api, 'foldscan_cached_pages_bytes')

/**
 * Each page twice: what is requested once may take a quarter of the cache.
 *
 * @returns the pages
 * @throws if a status is not 200, or if there are too few pages
 */
async function fillCaches(api: Running, mebibytes: number): Promise<readonly RequestedPage[]> {
  const pages = pagesOfAccounts()
  const filled: RequestedPage[] = []
  let isFull = false
  const client = async () => {
    while (!isFull) {
      const { value: page } = pages.next()
      if (page === undefined) return
      for (let time = 0; time < 2; time++) {
        const { status } = await api.get(page.target)
        if (status !== 200) throw new Error(`${page.target}: status ${status}`)
      }
      filled.push(page)
      if (filled.length % 100 !== 0) continue
      // Only ever to true: another client may have seen it meanwhile.
      if ((await cachedBytes(api)) >= mebibytes * 2 ** 20) isFull = true
    }
  }
  await Promise.all(Array.from({ length: fillingClients }, client))
  if (!isFull) throw new Error(`cached pages have only ${await cachedBytes(api)} bytes`)
  return filled
}

/**
 * First pages of all accounts, one list after the other. Made one at a time: all at once take
 * seconds, in which a connection that the API closes as idle would be used again.
 */
function* pagesOfAccounts(): Generator<RequestedPage, undefined> {
  const lists = routes.filter(
    ({ subject, path }) => subject === 'address' && path.includes('/addresses/'),
  )
  for (const { path: route } of lists) {
    for (let at = 0; at < accounts; at++)
      yield { target: route.replace('{address_hash}', accountAt(at)), route }
  }
}

/**
 * One after the other, so that it has something to cache, and some when all is folded already.
 * @returns the pages that there were
 */
async function ask(api: Running, signal: AbortSignal): Promise<readonly RequestedPage[]> {
  const random = seededRandom(1)
  const tokens = tokensOf(300)
  const lists = routes.filter(({ subject }) => subject === 'address').map(({ path }) => path)
  const seen = new Map<string, RequestedPage>()
  for (; !signal.aborted || seen.size < askedMin; await pause(askPauseMs)) {
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
  { what, atMostMiB = goalMiB }: { readonly what: string; readonly atMostMiB?: number },
  services: Readonly<Record<string, Running>>,
  isOver: () => Promise<boolean>,
): Promise<Figure[]> {
  const names = Object.keys(services)
  const all = Object.values(services)
  const sample = () => all.map(({ pid }) => processNow(pid).privateMiB)
  const { samples } = await sampledWhile({ everyMs: sampleMs, sample }, () =>
    Promise.race([
      until(`the end of ${what}`, async () => pause(sampleMs).then(isOver), phaseMaxMs),
      ...Object.entries(services).map(([name, { exited }]) =>
        exited.then(({ code, signal, reason, stderr }) => {
          throw new Error(`${name} ended with ${code ?? signal} while ${what}: ${reason}${stderr}`)
        }),
      ),
    ]),
  )
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
        goal: { of: 'value', bound: 'at most', limit: atMostMiB },
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
