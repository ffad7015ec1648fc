import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { routes } from '../services/api/endpoints/routes.ts'
import { mulberry32 } from '../services/demo-chain/random.ts'
import { malformedRequests } from '../test/api/malformed-requests.ts'
import type { Subjects } from '../test/oracle/subjects.ts'
import { benchmark } from './benchmark.ts'
import { quartersOf } from './memory-by-quarter.ts'
import { processNow } from './processes.ts'
import { checkPages, type RequestedPage } from './read/check-pages.ts'
import { type Got, get } from './read/closed-loop.ts'
import { countedId } from './read/counted-request.ts'
import { foldMainnet } from './read/mainnet-tables.ts'
import { quantileOf } from './read/open-loop.ts'
import { type ApiProcess, startApiProcess } from './read/start-api-process.ts'
import { type Figure, figureOf, type Goal } from './report/result.ts'
import { sampledWhile } from './sampled-while.ts'

const seed = 1
const sampleMs = 250
/** Subjects of each kind that good clients request, the busiest first. */
const subjectsEach = 12
const goodPauseMs = 20
/** The quiet time before the scan, as a share of its length. */
const quietShare = 0.25

export const scan = benchmark({
  name: 'scan',
  about:
    'a scan of random cursors, parameters and addresses, and clients with known pages meanwhile',
  method:
    'A process of the API with pages of twelve real blocks, and a bound of cached pages. Good ' +
    'clients request some hundred first pages again and again; after a quiet time scanners send ' +
    'requests that are mostly malformed, or ask for pages that nobody else asks for, each as soon ' +
    'as the last one was answered. A hit is a response that the handler returns at once, ' +
    'from memory. Every body of a good client is compared with the one before the scan, and one ' +
    'page in a hundred with a statement that sorts all rows of its subject.',
  limits:
    'The load generator shares the cores with the API. Limits of the API are off, and no block ' +
    'arrives meanwhile.',
  seed,
  needs: 'engine',
  sizes: {
    seconds: { about: 'seconds of the scan', full: 600, quick: 4 },
    scanners: { about: 'connections of the scan', full: 32, quick: 8 },
    clients: { about: 'good clients', full: 8, quick: 4 },
    cacheMebibytes: { about: 'MiB of cached pages', full: 16, quick: 16 },
  },
  async run({ seconds, scanners, clients, cacheMebibytes }, context) {
    const workspace = await context.workspace()
    const store = await workspace.store('scan')
    const subjects = await foldMainnet(store)
    context.progress('blocks folded')
    const limits = { pageCacheBytesMax: cacheMebibytes * 1024 ** 2 }
    const api = await startApiProcess(workspace.address, 'scan', limits)
    const good = new GoodClients(api, knownPages(subjects))
    try {
      await good.warm()
      const quiet = await good.run({ clients, seconds: seconds * quietShare })
      context.progress(`${quiet.latencies.length} requests of good clients in quiet`)
      const scanning = new Scan(api.port, subjects)
      const endsAt = performance.now() + seconds * 1_000
      const [scanned, , early] = await Promise.all([
        good.run({ clients, seconds }),
        scanning.run(scanners, endsAt),
        pause(seconds * 250).then(() => api.hitCounts()),
      ])
      const cachedBytes = [early.cachedBytes, (await api.hitCounts()).cachedBytes] as const
      const checkedAnswers = await checkPages(store, api.port, good.pages)
      return figuresOf({ quiet, scanned, scanning, seconds, cachedBytes, checkedAnswers })
    } finally {
      await api.stop()
    }
  },
})

function knownPages(subjects: Subjects): readonly RequestedPage[] {
  return routes.flatMap(({ path: route, subject }) => {
    const isToken = subject === 'address' && route.includes('/tokens/{')
    const kind = isToken ? 'tokens' : subject === 'address' ? 'addresses' : 'transactions'
    return subjects[kind]
      .slice(0, subjectsEach)
      .map((key) => ({ target: route.replace(/\{.*\}/, key), route }))
  })
}

interface GoodPhase {
  readonly hitRate: number
  readonly latencies: readonly number[]
  /** Private memory of the API, the greatest of each quarter. */
  readonly quartersMiB: readonly number[]
}

/** Clients that request the same pages again and again. */
class GoodClients {
  readonly pages: readonly RequestedPage[]
  private readonly api: ApiProcess
  private readonly bodies = new Map<string, Buffer>()
  private readonly random = mulberry32(seed)

  constructor(api: ApiProcess, pages: readonly RequestedPage[]) {
    this.api = api
    this.pages = pages
  }

  /** Each page often enough to be known. */
  async warm(): Promise<void> {
    const agent = new Agent({ keepAlive: true })
    for (let times = 0; times < 4; times++) {
      for (const page of this.pages) this.received(page, await this.request(page, agent))
    }
    agent.destroy()
  }

  async run(phase: { readonly clients: number; readonly seconds: number }): Promise<GoodPhase> {
    const endsAt = performance.now() + phase.seconds * 1_000
    const before = await this.api.hitCounts()
    const sample = () => processNow(this.api.pid).privateMiB
    const latencies: number[] = []
    const client = async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      while (performance.now() < endsAt) {
        const page = this.pages[this.random() % this.pages.length]
        if (page === undefined) throw new Error('no pages')
        const sentAt = performance.now()
        this.received(page, await this.request(page, agent))
        latencies.push(performance.now() - sentAt)
        await pause(goodPauseMs)
      }
      agent.destroy()
    }
    const { samples } = await sampledWhile({ everyMs: sampleMs, sample }, () =>
      Promise.all(Array.from({ length: phase.clients }, client)),
    )
    const after = await this.api.hitCounts()
    const hits = after.hits - before.hits
    const requests = hits + after.misses - before.misses
    return { hitRate: hits / requests, latencies, quartersMiB: quartersOf(samples) }
  }

  private request({ target }: RequestedPage, agent: Agent): Promise<Got> {
    const { port } = this.api
    return get({ agent, port, path: target, headers: { 'x-request-id': countedId } })
  }

  /** @throws if a page has changed: nothing is folded. */
  private received({ target }: RequestedPage, { status, body }: Got): void {
    if (status !== 200) throw new Error(`${target}: status ${status}`)
    const before = this.bodies.get(target)
    if (before !== undefined && !before.equals(body)) throw new Error(`${target} has changed`)
    this.bodies.set(target, body)
  }
}

/** Random requests at full speed. */
class Scan {
  readonly statuses = new Map<number, number>()
  private readonly port: number
  private readonly next: ReturnType<typeof malformedRequests>

  constructor(port: number, subjects: Subjects) {
    this.port = port
    this.next = malformedRequests(seed, routes, subjects)
  }

  /** @throws if a status is 500 or above, but for 503 */
  async run(scanners: number, endsAt: number): Promise<void> {
    const scanner = async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      while (performance.now() < endsAt) {
        const { target, method, headers } = this.next()
        const { pathname, search } = new URL(`http://x${target}`)
        const path = pathname + search
        const { status } = await get({ agent, port: this.port, path, method, headers })
        if (status >= 500 && status !== 503) throw new Error(`${target}: status ${status}`)
        this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
      }
      agent.destroy()
    }
    await Promise.all(Array.from({ length: scanners }, scanner))
  }
}

interface Phases {
  readonly quiet: GoodPhase
  readonly scanned: GoodPhase
  readonly scanning: Scan
  readonly seconds: number
  /** After the first quarter of the scan, and at its end. */
  readonly cachedBytes: readonly [early: number, last: number]
  readonly checkedAnswers: number
}

function figuresOf({
  quiet,
  scanned,
  scanning,
  seconds,
  cachedBytes,
  checkedAnswers,
}: Phases): Figure[] {
  interface Given {
    readonly value: number
    readonly baseline?: readonly [part: string, value: number]
    readonly goal?: Goal
  }
  const figure = (name: string, unit: string, { value, baseline, goal }: Given): Figure =>
    figureOf({
      ...{ name, unit, values: [value], goal, checkedAnswers },
      baseline: baseline && { part: baseline[0], values: [baseline[1]] },
    })
  const sent = [...scanning.statuses.values()].reduce((sum, count) => sum + count, 0)
  const shown = scanning.statuses.get(200) ?? 0
  const p99 = ({ latencies }: GoodPhase) => quantileOf(latencies, 0.99)
  const [, second = 0, , last = 0] = scanned.quartersMiB
  return [
    figure('scan', 'requests/s', { value: sent / seconds }),
    figure('scan, answered with a page', 'share', { value: shown / sent }),
    figure('good clients, hits', 'share', {
      value: scanned.hitRate,
      baseline: ['quiet', quiet.hitRate],
      goal: { of: 'ratio', bound: 'at least', limit: 0.99 },
    }),
    figure('good clients, p99', 'ms', { value: p99(scanned), baseline: ['quiet', p99(quiet)] }),
    figure('cached pages of the API, at the end', 'MiB', {
      value: cachedBytes[1] / 2 ** 20,
      baseline: ['after the first quarter', cachedBytes[0] / 2 ** 20],
    }),
    figure('private memory of the API, last quarter', 'MiB', {
      value: last,
      baseline: ['second quarter', Math.max(1, second)],
      goal: { of: 'ratio', bound: 'at most', limit: 1.1 },
    }),
  ]
}
