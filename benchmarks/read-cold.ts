import type { Store } from '../libs/ports/store.ts'
import { benchmark } from './benchmark.ts'
import { processNow } from './processes.ts'
import { closedLoop, type LoopResult } from './read/closed-loop.ts'
import { LoadConnection } from './read/load-connection.ts'
import { untilMerged } from './read/measured-pages.ts'
import { assertFirstPage, type CheckedList, checkedLists } from './read/naive-first-page.ts'
import { naiveStore } from './read/naive-store.ts'
import { selectOneByClient, selectOneByStore } from './read/select-one.ts'
import { type ApiProcess, startApiProcess } from './read/start-api-process.ts'
import { byZipf, subjectsSeed, uniform } from './read/subject-distributions.ts'
import { addressHash, tokenHash, transactionHash } from './read/uniform-subjects.ts'
import { busyIndex, fillUniformTables, type UniformTables } from './read/uniform-tables.ts'
import { type Figure, figureOf, type Goal } from './report/result.ts'
import type { Workspace } from './workspace.ts'

interface List {
  readonly name: string
  readonly subject: (index: number) => string
  readonly path: (subject: string) => string
  readonly count: (size: UniformTables) => number
  /** One of its subjects has most of the rows. */
  readonly hasBusy: boolean
  readonly checked: CheckedList
}

const ofAddress = {
  subject: addressHash,
  count: ({ addresses }: UniformTables) => addresses,
  hasBusy: false,
}

const lists: readonly List[] = [
  {
    name: 'transactions of an address',
    subject: addressHash,
    path: (subject) => `addresses/${subject}/transactions`,
    count: ({ addresses }) => addresses,
    hasBusy: true,
    checked: checkedLists.transactionsOfAddress,
  },
  {
    name: 'transfers of a transaction',
    subject: transactionHash,
    path: (subject) => `transactions/${subject}/token-transfers`,
    count: ({ transactions }) => transactions,
    hasBusy: false,
    checked: checkedLists.transfersOfTransaction,
  },
  {
    name: 'transfers of a token',
    subject: tokenHash,
    path: (subject) => `tokens/${subject}/transfers`,
    count: ({ tokens }) => tokens,
    hasBusy: true,
    checked: checkedLists.transfersOfToken,
  },
  {
    name: 'holders of a token',
    subject: tokenHash,
    path: (subject) => `tokens/${subject}/holders`,
    count: ({ tokens }) => tokens,
    hasBusy: true,
    checked: checkedLists.holdersOfToken,
  },
  {
    name: 'logs of an address',
    subject: tokenHash,
    path: (subject) => `addresses/${subject}/logs`,
    count: ({ tokens }) => tokens,
    hasBusy: false,
    checked: checkedLists.logsOfAddress,
  },
  {
    name: 'tokens of an address',
    path: (subject) => `addresses/${subject}/tokens`,
    ...ofAddress,
    checked: checkedLists.tokensOfAddress,
  },
  {
    name: 'balances of an address',
    path: (subject) => `addresses/${subject}/token-balances`,
    ...ofAddress,
    checked: checkedLists.tokenBalancesOfAddress,
  },
  {
    name: 'NFTs of an address',
    path: (subject) => `addresses/${subject}/nft`,
    ...ofAddress,
    checked: checkedLists.nftsOfAddress,
  },
]

const selectOneRounds = 5
/** One of so many pages is compared with a naive statement, at least three of each list. */
const checkedShare = 100

const distributions = [uniform, byZipf] as const
type Distribution = (typeof distributions)[number]

export const readCold = benchmark({
  name: 'read-cold',
  about: 'uncached first pages of uniform and Zipf subjects, compared with SELECT 1',
  method:
    'A process of the API on the embedded engine, a new one for each list and number of clients; ' +
    "closed loop. Uniform: each subject once. Zipf: subjects by Zipf's law with exponent 1, of " +
    'which the first one has most of the rows; no page is cached, so a repeated subject is read ' +
    'again, but concurrent requests for one subject share a read. Pages of other subjects are read ' +
    'first: a process that just started compiles its code. The baseline of a latency is the median ' +
    'of `SELECT 1` by @clickhouse/client with the settings of our queries; the API has an HTTP ' +
    'client of its own, whose `SELECT 1` is the first figure. One page in a hundred, and that of the busy subject, is ' +
    'compared with a statement that sorts all rows of the subject.',
  limits:
    'Merges have ended, tables have several parts, and the operating system has the files in memory. ' +
    'API, ClickHouse and the load generator (sockets of Node) share the cores, so rates have no ' +
    'baseline. One subject of 5 million rows in three of the lists only.',
  seed: subjectsSeed,
  needs: 'engine',
  sizes: {
    transactions: { about: 'transactions of uniform addresses', full: 1_000_000, quick: 20_000 },
    addresses: { about: 'addresses', full: 400_000, quick: 2_000 },
    tokens: { about: 'tokens', full: 100_000, quick: 1_000 },
    busyRows: { about: 'rows of one address and of one token', full: 5_000_000, quick: 10_000 },
    pages: { about: 'pages a list, of one client', full: 600, quick: 48 },
    warmupPages: { about: 'pages of other subjects read before these', full: 600, quick: 16 },
    concurrentPages: {
      about: 'pages a list, of 16 and of 128 clients; as many of other subjects are read before',
      full: 4_000,
      quick: 48,
    },
    listsPerProcess: { about: 'lists that a process of the API reads', full: 1, quick: 8 },
    // Other quick forms read alone.
    clientsMin: { about: 'clients at least, of 1, 16 and 128', full: 1, quick: 16 },
    clientsMax: { about: 'clients at most', full: 128, quick: 16 },
  },
  async run(sizes, context) {
    const workspace = await context.workspace()
    const store = await workspace.store('cold')
    await fillUniformTables(store, sizes, { hasOthers: true })
    await untilMerged(store)
    context.progress('tables filled')
    const naive = naiveStore(workspace.address, 'cold')
    const figures = [await selectOne(workspace, store)]
    try {
      const { clientsMin, clientsMax } = sizes
      for (const clients of [1, 16, 128].filter((n) => n >= clientsMin && n <= clientsMax)) {
        for (const { limits, runs } of processesOf(runsOf(sizes, clients), sizes)) {
          const api = await startApiProcess(workspace.address, 'cold', limits)
          try {
            for (const run of runs) {
              // Measured again for each list: a shared machine is not equally fast for minutes.
              const floorMs = await selectOneByClient(workspace.address)
              const loop = { ...run, api, enginePid: workspace.pid, naive, clients, floorMs }
              figures.push(...(await readFirstPages(loop)))
            }
          } finally {
            await api.stop()
          }
        }
      }
    } finally {
      await naive.close()
    }
    return figures
  },
})

/** What the client of our queries is worth. */
async function selectOne({ address }: Workspace, store: Store): Promise<Figure> {
  // In turn, as both compile their code at first.
  const times = { client: [0], store: [0] }
  for (let round = 0; round < selectOneRounds; round++) {
    times.client[round] = await selectOneByClient(address)
    times.store[round] = await selectOneByStore(store)
  }
  return figureOf({
    name: 'SELECT 1, by the store',
    unit: 'ms',
    values: times.store,
    baseline: { part: '@clickhouse/client', values: times.client },
    checkedAnswers: selectOneRounds,
  })
}

interface Run {
  readonly list: List
  readonly distribution: Distribution
  /** Pages, of so many subjects. */
  readonly pages: number
  readonly warmupPages: number
  readonly of: number
}

interface PageCounts extends Pick<Run, 'pages' | 'warmupPages'> {
  readonly concurrentPages: number
}

/** Many clients read the pages of one within a second, too few for a rate. */
const pagesOf = ({ concurrentPages, ...alone }: PageCounts, clients: number) =>
  clients === 1 ? alone : { pages: concurrentPages, warmupPages: concurrentPages }

const runsOf = (sizes: UniformTables & PageCounts, clients: number): readonly Run[] =>
  distributions.flatMap((distribution) =>
    lists
      .filter(({ hasBusy }) => hasBusy || !distribution.needsBusy)
      .map((list) => {
        const { pages, warmupPages } = pagesOf(sizes, clients)
        return { list, distribution, pages, warmupPages, of: list.count(sizes) }
      }),
  )

/** Processes of the API, each with the lists that are read by it. */
const processesOf = (
  runs: readonly Run[],
  { listsPerProcess }: { readonly listsPerProcess: number },
) =>
  distributions.flatMap((distribution) => {
    const limits = distribution.hasRepeated ? { pageCacheBytesMax: 1 } : {}
    const own = runs.filter((run) => run.distribution === distribution)
    const starts = own.map((_, at) => at).filter((at) => at % listsPerProcess === 0)
    return starts.map((at) => ({ limits, runs: own.slice(at, at + listsPerProcess) }))
  })

interface Loop extends Run {
  readonly api: ApiProcess
  readonly enginePid: number
  readonly naive: Store
  readonly clients: number
  readonly floorMs: number
}

async function readFirstPages(loop: Loop): Promise<Figure[]> {
  const { list, distribution, warmupPages, api, enginePid, naive, clients, floorMs } = loop
  const all = distribution.indexes(warmupPages + loop.pages, loop.of, clients)
  const indexes = all.slice(warmupPages)
  const subjects = indexes.map(list.subject)
  const targetOf = (subject: string) => `/api/v2/${list.path(subject)}`
  const earlier = all.slice(0, warmupPages).map((index) => targetOf(list.subject(index)))
  const connect = LoadConnection.open
  await closedLoop({ port: api.port, clients, connect, targets: earlier })
  const targets = subjects.map(targetOf)
  const count = targets.length
  const bodies = new Map<string, Buffer>()
  const every = Math.max(1, Math.min(checkedShare, Math.floor(count / 3)))
  const isChecked = (at: number) => at % every === 0 || indexes[at] === busyIndex
  const toCheck = new Set(subjects.filter((_, at) => isChecked(at)))
  const toKeep = new Set([...toCheck].map(targetOf))
  const cpuMs = () => [processNow(api.pid).cpuMs, processNow(enginePid).cpuMs] as const
  const before = cpuMs()
  const result = await closedLoop({
    port: api.port,
    clients,
    connect,
    targets,
    onBody: (target, body) => void (toKeep.has(target) && bodies.set(target, body)),
  })
  const after = cpuMs()
  let items = 0
  for (const subject of toCheck) {
    const body = bodies.get(targetOf(subject))
    if (body === undefined) continue
    items += await assertFirstPage(naive, list.checked, { subject, body })
  }
  if (bodies.size === 0) throw new Error(`${list.name}: no page was returned that can be compared`)
  const of = distribution === uniform ? '' : `, ${distribution.name}`
  const by = clients === 1 ? '1 client' : `${clients} clients`
  return figuresOf(`${list.name}${of}, ${by}`, result, {
    floorMs,
    clients,
    cpuMs: { api: (after[0] - before[0]) / count, engine: (after[1] - before[1]) / count },
    checkedAnswers: bodies.size,
    itemsOfPage: items / bodies.size,
  })
}

interface Beside {
  readonly floorMs: number
  /** Processor time of a page. */
  readonly cpuMs: { readonly api: number; readonly engine: number }
  readonly clients: number
  readonly checkedAnswers: number
  /** Mean of the pages that were compared. */
  readonly itemsOfPage: number
}

/** Pages of a second with 128 clients; those of transactions cost most. */
function perSecondMin(name: string): number | null {
  if (name.startsWith('transactions')) return 1_000
  return /^(transfers|holders)/.test(name) ? 2_500 : null
}

function figuresOf(name: string, result: LoopResult, beside: Beside): Figure[] {
  const { floorMs, clients, checkedAnswers, itemsOfPage } = beside
  const one = (of: string, value: number, goal?: Goal): Figure =>
    figureOf({
      name: `${name}, ${of}`,
      unit: 'ms',
      values: [value],
      baseline: { part: 'SELECT 1', values: [floorMs] },
      goal,
      checkedAnswers,
    })
  const limit = clients === 128 ? perSecondMin(name) : null
  const perSecond = figureOf({
    name,
    unit: 'pages/s',
    values: [result.perSecond],
    goal: limit === null ? undefined : { of: 'value', bound: 'at least', limit },
    checkedAnswers,
  })
  const alone: Goal | undefined =
    clients === 1 ? { of: 'ratio', bound: 'at most', limit: 4 } : undefined
  const crowded: Goal | undefined =
    clients === 128 ? { of: 'value', bound: 'at most', limit: 300 } : undefined
  const cpu = (of: string, value: number): Figure =>
    figureOf({ name: `${name}, ${of}`, unit: 'ms a page', values: [value], checkedAnswers })
  return [
    perSecond,
    one('p50', result.p50Ms, alone),
    one('p99', result.p99Ms, crowded),
    figureOf({
      name: `${name}, refused`,
      unit: 'of the requests',
      values: [result.refused / result.responses],
      checkedAnswers,
    }),
    figureOf({ name: `${name}, items`, unit: 'a page', values: [itemsOfPage], checkedAnswers }),
    cpu('processor time of the API', beside.cpuMs.api),
    cpu('processor time of ClickHouse', beside.cpuMs.engine),
  ]
}
