import { mulberry32 } from '../services/demo-chain/random.ts'
import { benchmark } from './benchmark.ts'
import { quartersOf } from './memory-by-quarter.ts'
import { processNow } from './processes.ts'
import { isAcceptedOrRefused } from './read/accepted-or-refused.ts'
import { closedLoop, type Got } from './read/closed-loop.ts'
import { untilMerged } from './read/measured-pages.ts'
import { assertFirstPage, checkedLists } from './read/naive-first-page.ts'
import { type Arrival, openLoop, quantileOf } from './read/open-loop.ts'
import { startApiProcess } from './read/start-api-process.ts'
import { greedyConnectionsMax, startGreedyClient } from './read/start-greedy-client.ts'
import { transactionHash } from './read/uniform-subjects.ts'
import { fillUniformTables } from './read/uniform-tables.ts'
import { type Figure, figureOf, type Goal } from './report/result.ts'
import { sampledWhile } from './sampled-while.ts'

const seed = 1
const sampleMs = 250
const politeClients = 99
/** Of the capacity, by all polite clients together. */
const politeLoad = 0.25
const capacityClients = 32
const checkedShare = 100

interface Request extends Arrival {
  readonly client: number
  readonly subject: string
}

interface Answered {
  readonly client: number
  readonly status: number
  readonly latencyMs: number
}

export const overload = benchmark({
  name: 'overload',
  about: 'ten times the capacity by one client with 99 others, compared with these alone',
  method:
    'Capacity is the rate of a closed loop of 32 clients that read uncached first pages. ' +
    'Then 99 polite clients, each with an address of its own, request a quarter of that at random ' +
    'times: first alone, then while a greedy client, in a process of its own, requests ten times the ' +
    `capacity, with at most ${greedyConnectionsMax.toLocaleString('en')} requests without a response ` +
    'at a time. Latency is measured from the scheduled send time. Refusals must be 429 or 503 with ' +
    'Retry-After; one accepted page in a hundred is compared with a statement that sorts all rows ' +
    'of its subject.',
  limits:
    'The load generators share the cores with the API, so the greedy client may send less than ' +
    'ten times the capacity (the rate that it reached is a figure), and takes processor time that ' +
    'the API has in the quiet phase. Limits of the API are off, and it has no Redis, so that a ' +
    'refusal needs no round trip.',
  seed,
  needs: 'engine',
  sizes: {
    transactions: { about: 'transactions, each a subject', full: 400_000, quick: 20_000 },
    seconds: { about: 'seconds, quiet and overloaded', full: 60, quick: 3 },
    times: { about: 'times the capacity', full: 10, quick: 10 },
  },
  async run({ transactions, seconds, times }, context) {
    const workspace = await context.workspace()
    const store = await workspace.store('overload')
    const addresses = Math.ceil(transactions / 4)
    const tokens = Math.ceil(transactions / 40)
    await fillUniformTables(store, { transactions, addresses, tokens, busyRows: 1_000 })
    await untilMerged(store)
    const api = await startApiProcess(workspace.address, 'overload')
    const load = new Load(api.port, transactions)
    try {
      const capacity = await load.capacity(Math.ceil(transactions / 20))
      context.progress(`capacity ${capacity.toFixed(0)} pages/s`)
      const polite = capacity * politeLoad
      const quiet = await load.run({ polite, greedy: 0, seconds, pid: api.pid })
      context.progress(`quiet: ${quiet.answered.length} responses`)
      const busy = await load.run({ polite, greedy: capacity * times, seconds, pid: api.pid })
      if (load.kept.length === 0) throw new Error('no page was returned that can be compared')
      for (const { subject, body } of load.kept) {
        await assertFirstPage(store, checkedLists.transfersOfTransaction, { subject, body })
      }
      return figuresOf({ capacity, quiet, busy, checkedAnswers: load.kept.length })
    } finally {
      await api.stop()
    }
  },
})

interface Phase {
  /** Of the polite clients. */
  readonly answered: readonly Answered[]
  /** Requests per second that the greedy client sent. */
  readonly greedyPerSecond: number
  /** Of its accepted requests. */
  readonly greedyLatenciesMs: readonly number[]
  /** Of all requests. */
  readonly refusedShare: number
  /** Private memory of the API, the greatest of each quarter. */
  readonly quartersMiB: readonly number[]
}

class Load {
  readonly kept: { subject: string; body: Buffer }[] = []
  private readonly random = mulberry32(seed)
  private readonly fraction = () => this.random() / 2 ** 32
  private readonly port: number
  private readonly transactions: number
  /** The first transactions; the greedy client requests the others. */
  private readonly politeSubjects: number
  private next = 0
  private accepted = 0

  constructor(port: number, transactions: number) {
    this.port = port
    this.transactions = transactions
    this.politeSubjects = Math.floor(transactions / 2)
  }

  /** Pages per second. */
  async capacity(pages: number): Promise<number> {
    const targets = Array.from({ length: pages }, () => this.request(0).target)
    const loop = { port: this.port, clients: capacityClients, targets }
    return (await closedLoop(loop)).perSecond
  }

  async run(phase: {
    polite: number
    greedy: number
    seconds: number
    pid: number
  }): Promise<Phase> {
    const { polite, greedy, seconds, pid } = phase
    const sampling = { everyMs: sampleMs, sample: () => processNow(pid).privateMiB }
    const { samples, result } = await sampledWhile(sampling, async () => {
      const client = greedy === 0 ? null : await this.greedyClient(greedy, seconds)
      return Promise.all([this.polite(polite, seconds), client?.run()])
    })
    const [answered, report] = result
    const greedyLatenciesMs = report?.latenciesMs ?? []
    const accepted = answered.filter(isAccepted).length + greedyLatenciesMs.length
    for (const { subject, body } of report?.kept ?? [])
      this.kept.push({ subject, body: Buffer.from(body, 'base64') })
    return {
      answered,
      greedyPerSecond: report?.sentPerSecond ?? 0,
      greedyLatenciesMs,
      refusedShare: 1 - accepted / (answered.length + (report?.responses ?? 0)),
      quartersMiB: quartersOf(samples),
    }
  }

  private async polite(perSecond: number, seconds: number): Promise<readonly Answered[]> {
    const answered: Answered[] = []
    await openLoop({
      port: this.port,
      perSecond,
      seconds,
      fraction: this.fraction,
      next: () => this.request(1 + Math.floor(this.fraction() * politeClients)),
      onResponse: ({ client, subject }, got, latencyMs) => {
        this.received(subject, got)
        answered.push({ client, status: got.status, latencyMs })
      },
    })
    return answered
  }

  private greedyClient(perSecond: number, seconds: number) {
    return startGreedyClient({
      ...{ port: this.port, perSecond, seconds, seed, checkedShare },
      firstSubject: this.politeSubjects,
      subjects: this.transactions - this.politeSubjects,
      localAddress: '127.0.1.1',
    })
  }

  /** Each subject once, until all were requested. */
  private request(client: number): Request {
    const subject = transactionHash(this.next++ % this.politeSubjects)
    return {
      client,
      subject,
      target: `/api/v2/transactions/${subject}/token-transfers`,
      localAddress: `127.0.1.${client + 1}`,
    }
  }

  private received(subject: string, got: Got): void {
    if (isAcceptedOrRefused(got) && this.accepted++ % checkedShare === 0)
      this.kept.push({ subject, body: got.body })
  }
}

interface Phases {
  readonly capacity: number
  readonly quiet: Phase
  readonly busy: Phase
  readonly checkedAnswers: number
}

const isAccepted = ({ status }: Answered) => status === 200

/** The smallest share of accepted requests of one polite client. */
function smallestShare({ answered }: Phase): number {
  const shares = Array.from({ length: politeClients }, (_, at) => {
    const of = answered.filter(({ client }) => client === at + 1)
    return of.length === 0 ? 1 : of.filter(isAccepted).length / of.length
  })
  return Math.min(...shares)
}

function figuresOf({ capacity, quiet, busy, checkedAnswers }: Phases): Figure[] {
  const latencies = ({ answered }: Phase) =>
    answered.filter(isAccepted).map(({ latencyMs }) => latencyMs)
  const quietP99 = quantileOf(latencies(quiet), 0.99)
  const slowest = (name: string, of: readonly number[]) =>
    figure(`accepted, ${name}, p99`, 'ms', {
      value: quantileOf(of, 0.99),
      baseline: ['quiet', quietP99],
      goal: { of: 'ratio', bound: 'at most', limit: 3 },
    })
  const figure = (
    name: string,
    unit: string,
    { value, baseline, goal }: { value: number; baseline?: [string, number]; goal?: Goal },
  ) =>
    figureOf({
      ...{ name, unit, values: [value], goal, checkedAnswers },
      baseline: baseline && { part: baseline[0], values: [baseline[1]] },
    })
  const [, second = 1, , last = 1] = busy.quartersMiB
  return [
    figure('sent by the greedy client', 'requests/s', {
      value: busy.greedyPerSecond,
      baseline: ['capacity', capacity],
    }),
    slowest('polite clients', latencies(busy)),
    slowest('all clients', [...latencies(busy), ...busy.greedyLatenciesMs]),
    figure('accepted, of the polite client with the fewest', 'share', {
      value: smallestShare(busy),
      baseline: ['quiet', smallestShare(quiet)],
      goal: { of: 'value', bound: 'at least', limit: 0.9 },
    }),
    figure('refused, all clients', 'share', {
      value: busy.refusedShare,
    }),
    figure('private memory of the API, last quarter', 'MiB', {
      value: last,
      baseline: ['second quarter', Math.max(1, second)],
      goal: { of: 'ratio', bound: 'at most', limit: 1.1 },
    }),
  ]
}
