import { Agent, get as httpGet } from 'node:http'
import { loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { type EventLog, type LogMessage, LogUnavailable } from '../libs/ports/event-log.ts'
import { transfersOf } from '../libs/projections/transfers.ts'
import { events } from '../libs/signals/events.ts'
import type { BlockApplied } from '../libs/topics/blocks.ts'
import { encodeMessage } from '../libs/topics/codec.ts'
import type { Running } from '../test/up/running.ts'
import { type Cluster, openCluster, untilReady } from './cluster.ts'
import { generatedChain } from './generated-chain.ts'
import { processNow } from './processes.ts'
import { machine } from './workspace.ts'

export interface LatencyShape {
  readonly blocks: number
  readonly transfersPerBlock: number
  /** Between two blocks. */
  readonly intervalMs: number
}

/** Blocks before those that are counted: code is compiled, connections are made. */
const warmUpBlocks = 40
/** Between two looks: what is measured is later by half of it. */
const lookMs = 10
const arrivalMaxMs = 60_000
const goalMs = 250
const appendAttemptsMax = 10
const appendPauseMs = 500

interface Prepared {
  readonly number: number
  readonly path: string
  readonly message: LogMessage
}

/** A block on its way, and what shows that it can be seen. */
interface Sent {
  readonly number: number
  /** A list that shows one of its transfers first. */
  readonly path: string
  /** Before it was handed to the log, and when that had it. */
  readonly handedAt: number
  readonly publishedAt: number
}

interface Seen extends Sent {
  readonly seenAt: number
}

/** `npm run bench -- cluster-latency`: from published to visible through the api. */
export async function benchClusterLatency(shape: LatencyShape): Promise<void> {
  line(`machine: ${machine()}, load ${load()} at the start`)
  const cluster = await openCluster()
  try {
    const projectors = ['ledger', 'state', 'dimensions'].map((group) =>
      cluster.start('projector', { group, 'log-level': 'debug' }),
    )
    const api = cluster.start('api')
    for (const service of [...projectors, api]) await untilReady(service)
    const pids = pidsOf(cluster, projectors, api)
    const before = cpuOf(pids)
    const seen = await followed(cluster, api, shape)
    const after = cpuOf(pids)
    report(shape, seen.slice(warmUpBlocks))
    for (const projector of projectors) reportFlushes(projector)
    line('processor, ms a block, all blocks counted:')
    for (const [at, [name]] of pids.entries()) {
      line(`  ${name.padEnd(12)} ${perBlock(before[at], after[at], seen.length)}`)
    }
    line(`load ${load()} at the end`)
  } finally {
    await cluster.end()
  }
}

/** Publishes at a steady pace, whether what was published before is visible or not. */
async function followed(
  { log }: Cluster,
  api: Running,
  { blocks, transfersPerBlock, intervalMs }: LatencyShape,
): Promise<readonly Seen[]> {
  const wanted = blocks + warmUpBlocks
  const transfers = wanted * transfersPerBlock * 2
  const chain = [...prepared(generatedChain({ ...chainOf, transfers, transfersPerBlock }), wanted)]
  const sent: Sent[] = []
  const looking = look(await api.origin(), sent, wanted)
  // Awaited at the end; until then its failure is no stray rejection.
  looking.catch(() => {})
  const first = performance.now() + intervalMs
  for (const [at, { number, path, message }] of chain.entries()) {
    await pause(Math.max(0, first + at * intervalMs - performance.now()))
    const handedAt = performance.now()
    await published(log, message)
    sent.push({ number, path, handedAt, publishedAt: performance.now() })
  }
  return await looking
}

/** Made before the first is published: what measures should not work beside what is measured. */
function* prepared(chain: Iterable<BlockApplied>, wanted: number): Iterable<Prepared> {
  let count = 0
  for (const block of chain) {
    if (count++ === wanted) return
    yield {
      number: block.block.number,
      path: `${listOf(block)}?items_count=1`,
      message: { key: `${block.chainId}`, value: encodeMessage(block) },
    }
  }
  if (count < wanted) throw new Error('the chain is too short')
}

/** A topic that was just made may have no leader yet. Creating it twice is harmless. */
async function published(log: EventLog, message: LogMessage): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await log.append('blocks', [message])
      return
    } catch (error) {
      if (!(error instanceof LogUnavailable) || attempt === appendAttemptsMax) throw error
      await pause(appendPauseMs)
    }
  }
}

const chainOf = { seed: 1, tokens: 300, accounts: 200_000 }

/** Transfers of the token that moved last in the block. */
function listOf({ block }: BlockApplied): string {
  const last = block.transactions.flatMap((transaction) => [...transfersOf(transaction)]).at(-1)
  if (last === undefined) throw new Error(`block ${block.number} has no transfers`)
  return `/api/v2/tokens/${last.token}/transfers`
}

const page = z.object({ items: z.array(z.object({ block_number: z.int() })) })

async function look(origin: string, sent: readonly Sent[], wanted: number): Promise<Seen[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const seen: Seen[] = []
  while (seen.length < wanted) {
    const next = sent[seen.length]
    if (next !== undefined && (await isVisible(next, origin, agent))) {
      seen.push({ ...next, seenAt: performance.now() })
      continue
    }
    if (next !== undefined && performance.now() - next.publishedAt > arrivalMaxMs) {
      throw new Error(`block ${next.number} is not visible after ${arrivalMaxMs} ms`)
    }
    await pause(lookMs)
  }
  agent.destroy()
  return seen
}

/** Both: the API reports that it has the block, and its list begins with the block's transfer. */
async function isVisible({ number, path }: Sent, origin: string, agent: Agent): Promise<boolean> {
  const { indexed, body } = await answerOf(origin + path, agent)
  if (indexed < number) return false
  const said = page.safeParse(JSON.parse(body))
  if ((said.data?.items[0]?.block_number ?? 0) >= number) return true
  throw new Error(`the api is at block ${indexed}, and ${path} does not show block ${number}`)
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
  ['this one', process.pid],
]

const cpuOf = (pids: readonly Named[]): readonly number[] =>
  pids.map(([, pid]) => processNow(pid).cpuMs)

const perBlock = (before = 0, after = 0, blocks = 1): string =>
  ((after - before) / blocks).toFixed(1)

const line = (text: string) => process.stdout.write(`${text}\n`)
const load = () => loadavg()[0]?.toFixed(1)

function report({ transfersPerBlock, intervalMs }: LatencyShape, seen: readonly Seen[]): void {
  line(`${seen.length} blocks of ${transfersPerBlock} transfers, one each ${intervalMs} ms`)
  const visible = seen.map(({ handedAt, seenAt }) => seenAt - handedAt)
  line(`published -> visible  ${distribution(visible)}`)
  line(`of it Kafka has it    ${distribution(seen.map((one) => one.publishedAt - one.handedAt))}`)
  const quarter = Math.ceil(visible.length / 4)
  const quarters = [0, 1, 2, 3].map((at) => visible.slice(at * quarter, (at + 1) * quarter))
  line(
    `p50 / p99 by quarter  ${quarters.map((of) => `${at(of, 0.5)} / ${at(of, 0.99)}`).join(', ')}`,
  )
  line(at(visible, 0.99) <= goalMs ? `within the goal (${goalMs} ms)` : `above ${goalMs} ms`)
}

const flushed = z.object({ group: z.string(), milliseconds: z.number() })

/** Rows to announcement, as the projectors say it themselves. */
function reportFlushes(projector: Running): void {
  const flushes = projector.lines.flatMap((said) =>
    said.event === events.projector.flushed ? [flushed.parse(said)] : [],
  )
  const [first] = flushes
  if (first === undefined) return
  const times = flushes.slice(warmUpBlocks).map(({ milliseconds }) => milliseconds)
  line(`flush of ${first.group.padEnd(12)} ${distribution(times)} (${times.length} flushes)`)
}

/** Milliseconds. */
const distribution = (values: readonly number[]): string =>
  `p50 ${at(values, 0.5)}, p90 ${at(values, 0.9)}, p99 ${at(values, 0.99)}, max ${at(values, 1)} ms`

function at(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  const index = Math.max(0, Math.ceil(sorted.length * share) - 1)
  return Math.round(sorted[index] ?? 0)
}
