import { Agent } from 'node:http'
import type { Store } from '../libs/ports/store.ts'
import { routes } from '../services/api/endpoints/routes.ts'
import { mulberry32 } from '../services/demo-chain/random.ts'
import { benchmark } from './benchmark.ts'
import { accountsOf, generatedChainId, tokensOf, transactionAt } from './generated-chain.ts'
import { endpointOf } from './load/endpoint-of.ts'
import type { Targets } from './load/traffic.ts'
import { processNow } from './processes.ts'
import { checkPages, untilIndexed } from './read/check-pages.ts'
import { get } from './read/closed-loop.ts'
import { type MixedRequest, MixedRequests } from './read/mixed-requests.ts'
import { openLoop, quantileOf } from './read/open-loop.ts'
import { startApiProcess } from './read/start-api-process.ts'
import { startProjectorProcess } from './read/start-projector-process.ts'
import { type Figure, figureOf } from './report/result.ts'

const seed = 1
const chain = { seed, tokens: 300, accounts: 20_000 }
/** Of the seconds of a loop, before it is measured. */
const warmUpShare = 0.25
export const readMixed = benchmark({
  name: 'read-mixed',
  about: 'mixed traffic at half of the greatest rate, while blocks arrive each second',
  method:
    "Each endpoint equally often, subjects by Zipf's law with exponent 1, a tenth deep pages, a twentieth " +
    'with If-None-Match. First a closed loop, whose rate is the greatest; then an open loop with ' +
    'random arrivals at half of it, whose latency is measured from the scheduled send time (corrected ' +
    'for coordinated omission). API, projectors ' +
    'and engine are processes of their own. After the load one first page in a hundred is ' +
    'compared with a statement that sorts all rows of its subject.',
  limits:
    'ClickHouse is the limit of the closed loop; the load generator is Node, on the same cores as ' +
    'everything else. No Redis; announcements come over a pipe instead of Kafka. Deep pages, 304s and four ' +
    'of the endpoints are not compared.',
  seed,
  needs: 'engine',
  sizes: {
    blocks: { about: 'blocks folded before the load', full: 500, quick: 10 },
    transfersPerBlock: { about: 'transfers a block', full: 400, quick: 100 },
    seconds: { about: 'seconds of each loop', full: 60, quick: 4 },
    clients: { about: 'clients of the closed loop', full: 64, quick: 8 },
  },
  async run({ blocks, transfersPerBlock, seconds, clients }, context) {
    const workspace = await context.workspace()
    const store = await workspace.store('mixed')
    const api = await startApiProcess(workspace.address, 'mixed', {
      chainId: generatedChainId,
    })
    const shape = { ...chain, transfersPerBlock, transfers: Number.MAX_SAFE_INTEGER }
    const projectors = await startProjectorProcess({
      address: workspace.address,
      database: 'mixed',
      shape,
      firstBlocks: blocks,
      onChanges: api.announce,
    })
    try {
      context.progress(`${blocks} blocks folded`)
      const random = mulberry32(seed)
      const fraction = () => random() / 2 ** 32
      const requests = new MixedRequests(targetsOf(blocks), fraction)
      projectors.start()
      await closedLoopFor({ port: api.port, clients, seconds: seconds * warmUpShare, requests })
      const closed = await closedLoopFor({ port: api.port, clients, seconds, requests })
      context.progress(`closed loop: ${closed.perSecond.toFixed(0)}/s`)
      const latencies: number[] = []
      const refusedBefore = requests.refused
      const seen = new Map<string, MixedRequest>()
      const parts = { api: api.pid, projectors: projectors.pid, ClickHouse: workspace.pid }
      const cpu = new SharesOfACore({ ...parts, 'the load generator': process.pid })
      const perSecond = await openLoop({
        port: api.port,
        perSecond: closed.perSecond / 2,
        seconds,
        fraction,
        next: () => requests.next(),
        onResponse(request, got, latencyMs) {
          latencies.push(latencyMs)
          requests.received(request, got)
          if (request.kind === 'first' && got.status === 200) seen.set(request.target, request)
        },
      })
      const shares = cpu.end()
      const activeParts = await activePartsOf(store)
      const last = await projectors.finish()
      await untilIndexed(api.port, last)
      const checkedAnswers = await checkPages(store, api.port, [...seen.values()])
      return figuresOf({
        closed,
        perSecond,
        latencies,
        refused: requests.refused - refusedBefore,
        shares,
        activeParts,
        checkedAnswers,
      })
    } finally {
      await projectors.stop()
      await api.stop()
    }
  },
})

const targetsOf = (blocks: number): Targets => ({
  endpoints: routes.map(endpointOf),
  subjects: {
    addresses: accountsOf(chain.accounts),
    tokens: tokensOf(chain.tokens),
    // Each block has far more than ten transactions.
    transactions: Array.from({ length: blocks * 10 }, (_, at) =>
      transactionAt(blocks - Math.floor(at / 10), at % 10),
    ),
  },
})

interface ClosedLoop {
  readonly port: number
  readonly clients: number
  readonly seconds: number
  readonly requests: MixedRequests
}

interface ClosedResult {
  readonly perSecond: number
  readonly latencies: readonly number[]
}

async function closedLoopFor({
  port,
  clients,
  seconds,
  requests,
}: ClosedLoop): Promise<ClosedResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const latencies: number[] = []
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1_000
  const client = async () => {
    while (performance.now() < endsAt) {
      const request = requests.next()
      const sentAt = performance.now()
      const got = await get({ agent, port, path: request.target, headers: request.headers ?? {} })
      latencies.push(performance.now() - sentAt)
      requests.received(request, got)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  agent.destroy()
  return { perSecond: latencies.length / ((performance.now() - startedAt) / 1_000), latencies }
}

interface MixedResult {
  readonly closed: ClosedResult
  readonly perSecond: number
  readonly latencies: readonly number[]
  readonly refused: number
  readonly shares: ReadonlyMap<string, number>
  readonly activeParts: number
  readonly checkedAnswers: number
}

/** Processor time of processes since it was made, in cores. */
class SharesOfACore {
  readonly #pids: Readonly<Record<string, number>>
  readonly #startedAt = performance.now()
  readonly #before: ReadonlyMap<string, number>

  constructor(pids: Readonly<Record<string, number>>) {
    this.#pids = pids
    this.#before = this.#now()
  }

  end(): ReadonlyMap<string, number> {
    const elapsedMs = performance.now() - this.#startedAt
    const share = (ms: number, name: string) => (ms - (this.#before.get(name) ?? 0)) / elapsedMs
    return new Map([...this.#now()].map(([name, ms]) => [name, share(ms, name)]))
  }

  #now(): Map<string, number> {
    return new Map(Object.entries(this.#pids).map(([name, pid]) => [name, processNow(pid).cpuMs]))
  }
}

/** Of the table with the most: a page reads in each of them. */
async function activePartsOf(store: Store): Promise<number> {
  const sql = `SELECT max(parts) FROM (SELECT count() AS parts FROM system.parts
    WHERE active AND database = currentDatabase() GROUP BY table)`
  return Number((await store.query(sql, {})).readBigUInt64LE(0))
}

function figuresOf({
  closed,
  perSecond,
  latencies,
  refused,
  shares,
  activeParts,
  checkedAnswers,
}: MixedResult): Figure[] {
  const figure = (name: string, unit: string, value: number) =>
    figureOf({ name, unit, values: [value], checkedAnswers })
  const latency = (share: number) =>
    figureOf({
      name: `open loop, p${share * 100}`,
      unit: 'ms',
      values: [quantileOf(latencies, share)],
      baseline: { part: 'closed loop', values: [quantileOf(closed.latencies, share)] },
      goal: share === 0.99 ? { of: 'value', bound: 'at most', limit: 25 } : undefined,
      checkedAnswers,
    })
  return [
    figure('closed loop', 'requests/s', closed.perSecond),
    figure('open loop, sent', 'requests/s', perSecond),
    ...[0.5, 0.99, 0.999].map(latency),
    figure('open loop, refused', 'of the requests', refused / latencies.length),
    ...[...shares].map(([name, share]) => figure(`open loop, ${name}`, 'cores', share)),
    figure('active parts of the table with the most', 'parts', activeParts),
  ]
}
