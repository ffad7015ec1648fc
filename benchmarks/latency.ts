import { Agent, get as httpGet } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { EventLog, LogMessage } from '../libs/ports/event-log.ts'
import { events } from '../libs/signals/events.ts'
import type { BlockApplied } from '../libs/topics/blocks.ts'
import { encodeMessage } from '../libs/topics/codec.ts'
import { until } from '../test/support/until.ts'
import type { Running } from '../test/up/running.ts'
import { benchmark } from './benchmark.ts'
import { append, type Cluster, untilReady } from './cluster.ts'
import { generatedChain } from './generated-chain.ts'
import { processNow } from './processes.ts'
import { type Figure, figureOf } from './report/result.ts'

interface LatencyShape {
  readonly blocks: number
  readonly transfersPerBlock: number
  /** Between two blocks. */
  readonly intervalMs: number
  readonly bursts: number
  readonly burstBlocks: number
}

/** Blocks before those that are counted: code is compiled, connections are made. */
const warmUpBlocks = 40
/** Between two looks: what is measured is later by half of it. */
const lookMs = 10
const arrivalMaxMs = 60_000
/** A busy machine takes its time. */
const visibleMaxMs = 10 * 60_000
/** Blocks at the steady pace after each burst. */
const blocksAfterBurst = 5
const goalMs = 250
const chainOf = { seed: 1, tokens: 300, accounts: 200_000 }

interface Prepared {
  readonly number: number
  readonly path: string
  /** Of the transfer that the list begins with until a later block adds to it. */
  readonly first: string
  readonly message: LogMessage
}

/** A block on its way, and what shows that it can be seen. */
interface Sent {
  readonly number: number
  /** A list that shows one of its transfers first. */
  readonly path: string
  readonly first: string
  /** Before it was handed to the log, and when that had it. */
  readonly handedAt: number
  readonly publishedAt: number
}

interface Seen extends Sent {
  readonly seenAt: number
}

export const latency = benchmark({
  name: 'latency',
  about: 'from published to visible through the API, on real servers of this machine',
  method:
    'Blocks are published at a steady pace, whether earlier ones are visible or not; a client ' +
    `asks every ${lookMs} ms for the list that changes next. A block is visible once the API ` +
    'reports its number and the list begins with one of its transfers. Then bursts of blocks are ' +
    `published without a pause, and ${blocksAfterBurst} at the pace once all of a burst is visible.`,
  limits:
    'Kafka, ClickHouse, Redis and all services share the cores of one machine; one broker, one ' +
    'replica. In a burst the client sees one block after the other, one page each.',
  seed: chainOf.seed,
  needs: 'cluster',
  sizes: {
    blocks: { about: 'blocks that are counted', full: 1_000, quick: 10 },
    transfersPerBlock: { about: 'transfers a block', full: 400, quick: 50 },
    intervalMs: { about: 'milliseconds between two blocks', full: 500, quick: 250 },
    bursts: { about: 'bursts', full: 10, quick: 1 },
    burstBlocks: { about: 'blocks of a burst', full: 50, quick: 5 },
  },
  async run(shape, context) {
    const cluster = await context.cluster()
    const projectors = ['ledger', 'state', 'dimensions'].map((group) =>
      cluster.start('projector', { group, 'log-level': 'debug' }),
    )
    const api = cluster.start('api')
    for (const service of [...projectors, api]) await untilReady(service)
    const pids = pidsOf(cluster, projectors, api)
    const chain = blocksOf(shape)
    const followed = new FollowedBlocks(cluster.eventLog, await api.origin())
    try {
      const before = cpuOf(pids)
      const steady = await followed.publish(chain.steady, shape)
      const after = cpuOf(pids)
      const flushes = projectors.flatMap(ofFlushes)
      const bursts: Burst[] = []
      for (const { burst, next } of chain.bursts) {
        const seen = await followed.publish(burst, { intervalMs: 0 })
        bursts.push({ seen, next: await followed.publish(next, shape) })
      }
      return [
        ...ofVisibility(steady.slice(warmUpBlocks)),
        ...ofBursts(bursts),
        ...flushes,
        ...pids.map(([name], at) =>
          figureOf({
            name: `processor time of ${name}`,
            unit: 'ms a block',
            values: [((after[at] ?? 0) - (before[at] ?? 0)) / steady.length],
            checkedAnswers: 0,
          }),
        ),
      ]
    } finally {
      await followed.end()
    }
  },
})

interface Burst {
  readonly seen: readonly Seen[]
  /** Those after it. */
  readonly next: readonly Seen[]
}

/** All are made before the first is published. */
function blocksOf({ blocks, transfersPerBlock, bursts, burstBlocks }: LatencyShape) {
  const counted = blocks + warmUpBlocks
  const each = burstBlocks + blocksAfterBurst
  const wanted = counted + bursts * each
  const transfers = wanted * transfersPerBlock * 2
  const chain = [...prepared(generatedChain({ ...chainOf, transfers, transfersPerBlock }), wanted)]
  return {
    steady: chain.slice(0, counted),
    bursts: Array.from({ length: bursts }, (_, at) => {
      const first = counted + at * each
      const next = first + burstBlocks
      return { burst: chain.slice(first, next), next: chain.slice(next, first + each) }
    }),
  }
}

/** Publishes blocks, and looks for the one that has to become visible next. */
class FollowedBlocks {
  readonly #eventLog: EventLog
  readonly #origin: string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #sent: Sent[] = []
  readonly #seen: Seen[] = []
  readonly #looking: Promise<void>
  #isOver = false

  constructor(eventLog: EventLog, origin: string) {
    this.#eventLog = eventLog
    this.#origin = origin
    this.#looking = this.#look()
    // Awaited where blocks are; until then its failure is no stray rejection.
    this.#looking.catch(() => {})
  }

  /** At a steady pace, whether those before are visible or not. @returns when all are visible */
  async publish(
    blocks: readonly Prepared[],
    { intervalMs }: Pick<LatencyShape, 'intervalMs'>,
  ): Promise<readonly Seen[]> {
    const from = this.#sent.length
    const first = performance.now() + intervalMs
    for (const [at, { message, ...block }] of blocks.entries()) {
      await pause(Math.max(0, first + at * intervalMs - performance.now()))
      const handedAt = performance.now()
      await append(this.#eventLog, 'blocks', [message])
      this.#sent.push({ ...block, handedAt, publishedAt: performance.now() })
    }
    const areSeen = () => this.#isOver || this.#seen.length === this.#sent.length
    await Promise.race([this.#looking, until('all blocks are visible', areSeen, visibleMaxMs)])
    return this.#seen.slice(from)
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#looking.finally(() => this.#agent.destroy())
  }

  async #look(): Promise<void> {
    while (!this.#isOver) {
      const next = this.#sent[this.#seen.length]
      if (next !== undefined && (await isVisible(next, this.#origin, this.#agent))) {
        this.#seen.push({ ...next, seenAt: performance.now() })
        continue
      }
      if (next !== undefined && performance.now() - next.publishedAt > arrivalMaxMs) {
        throw new Error(`block ${next.number} is not visible after ${arrivalMaxMs} ms`)
      }
      await pause(lookMs)
    }
  }
}

/** Made before the first is published: what measures should not work beside what is measured. */
function* prepared(chain: Iterable<BlockApplied>, wanted: number): Iterable<Prepared> {
  let count = 0
  for (const block of chain) {
    if (count++ === wanted) return
    yield {
      number: block.block.number,
      ...shownFirst(block),
      message: { key: `${block.chainId}`, value: encodeMessage(block) },
    }
  }
  if (count < wanted) throw new Error('the chain is too short')
}

/** Transfers of the token that moved last in the block, which begin with that. */
function shownFirst({ block }: BlockApplied): Pick<Prepared, 'path' | 'first'> {
  const { hash, logs } = block.transactions.at(-1) ?? { hash: '', logs: [] }
  const last = logs.at(-1)
  if (last === undefined) throw new Error(`block ${block.number} has no transfers`)
  const first = placeOf({
    block_number: block.number,
    log_index: last.index,
    transaction_hash: hash,
  })
  return { path: `/api/v2/tokens/${last.address}/transfers?items_count=1`, first }
}

const item = z.object({ block_number: z.int(), log_index: z.int(), transaction_hash: z.string() })
const page = z.object({ items: z.array(item) })

const placeOf = ({
  block_number: number,
  log_index: index,
  transaction_hash: hash,
}: z.infer<typeof item>) => `${number}:${index} of ${hash}`

/** Both: the API reports that it has the block, and its list begins with the block's transfer. */
async function isVisible(
  { number, path, first }: Sent,
  origin: string,
  agent: Agent,
): Promise<boolean> {
  const { indexed, body } = await answerOf(origin + path, agent)
  if (indexed < number) return false
  const shown = page.safeParse(JSON.parse(body)).data?.items[0]
  if (shown !== undefined && shown.block_number > number) return true
  if (shown !== undefined && placeOf(shown) === first) return true
  throw new Error(`the api is at block ${indexed}, and ${path} does not begin with ${first}`)
}

const answerOf = (url: string, agent: Agent): Promise<{ indexed: number; body: string }> =>
  new Promise((resolve, reject) => {
    const asked = httpGet(url, { agent }, (answer) => {
      let body = ''
      answer.on('data', (chunk) => {
        body += chunk
      })
      answer.on('error', reject)
      answer.on('end', () => {
        resolve({ indexed: Number(answer.headers['x-indexed-block'] ?? 0), body })
      })
    })
    // The server closes a connection that was idle for long: nothing is seen; one looks again soon.
    asked.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET') resolve({ indexed: 0, body: '' })
      else reject(error)
    })
  })

type Named = readonly [name: string, pid: number]

const pidsOf = (
  { servers }: Cluster,
  [ledger, state, dimensions]: readonly Running[],
  api: Running,
): readonly Named[] => [
  ...Object.entries({ ledger, state, dimensions, api }).map(
    ([name, running]): Named => [name, running?.pid ?? 0],
  ),
  ...Object.entries(servers),
  ['the load generator', process.pid],
]

const cpuOf = (pids: readonly Named[]): readonly number[] =>
  pids.map(([, pid]) => processNow(pid).cpuMs)

const delayOf = ({ handedAt, seenAt }: Seen): number => seenAt - handedAt

function ofVisibility(seen: readonly Seen[]): Figure[] {
  const visible = seen.map(delayOf)
  const published = seen.map(({ handedAt, publishedAt }) => publishedAt - handedAt)
  const one = (share: number): Figure =>
    figureOf({
      name: `published to visible, p${share * 100}`,
      unit: 'ms',
      values: [at(visible, share)],
      baseline: { part: 'acknowledged by Kafka', values: [Math.max(1, at(published, share))] },
      goal: share === 0.99 ? { of: 'value', bound: 'at most', limit: goalMs } : undefined,
      checkedAnswers: seen.length,
    })
  return [0.5, 0.9, 0.99].map(one)
}

/** Between two of them that became visible one after the other. */
const longestPause = (seen: readonly Seen[]): number =>
  Math.max(...seen.slice(1).map(({ seenAt }, at) => seenAt - (seen[at]?.seenAt ?? seenAt)))

function ofBursts(bursts: readonly Burst[]): Figure[] {
  const [{ seen: first } = { seen: [] }] = bursts
  if (first.length === 0) return []
  const checkedAnswers = bursts.length * first.length
  const next = bursts.flatMap((burst) => burst.next.map(delayOf))
  return [
    figureOf({
      name: `burst of ${first.length} blocks, first published to last visible`,
      unit: 'ms',
      values: bursts.map(({ seen }) => (seen.at(-1)?.seenAt ?? 0) - (seen[0]?.handedAt ?? 0)),
      checkedAnswers,
    }),
    figureOf({
      name: 'burst, longest pause between two visible blocks',
      unit: 'ms',
      values: bursts.map(({ seen }) => longestPause(seen)),
      checkedAnswers,
    }),
    figureOf({
      name: 'blocks after a burst, published to visible, p99',
      unit: 'ms',
      values: [at(next, 0.99)],
      goal: { of: 'value', bound: 'at most', limit: goalMs },
      checkedAnswers: next.length,
    }),
  ]
}

const flushed = z.object({ group: z.string(), milliseconds: z.number() })

/** Rows to announcement, as the projectors log it themselves. */
function ofFlushes(projector: Running): Figure[] {
  const flushes = projector.lines.flatMap((said) =>
    said.event === events.projector.flushed ? [flushed.parse(said)] : [],
  )
  const [first] = flushes
  if (first === undefined) return []
  const times = flushes.slice(warmUpBlocks).map(({ milliseconds }) => milliseconds)
  if (times.length === 0) return []
  return [0.5, 0.99].map((share) =>
    figureOf({
      name: `flush of ${first.group}, p${share * 100}`,
      unit: 'ms',
      values: [at(times, share)],
      checkedAnswers: 0,
    }),
  )
}

function at(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  const index = Math.max(0, Math.ceil(sorted.length * share) - 1)
  return Math.round(sorted[index] ?? 0)
}
