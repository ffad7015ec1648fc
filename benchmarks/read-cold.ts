import type { Store } from '../libs/ports/store.ts'
import { benchmark } from './benchmark.ts'
import { processNow } from './processes.ts'
import { closedLoop, type LoopResult } from './read/closed-loop.ts'
import { assertFirstPage, type CheckedList, checkedLists } from './read/naive-first-page.ts'
import { type ApiProcess, startApiProcess } from './read/start-api-process.ts'
import { addressHash, tokenHash, transactionHash } from './read/uniform-subjects.ts'
import { fillUniformTables, type UniformTables } from './read/uniform-tables.ts'
import { type Figure, figureOf, type Goal, median } from './report/result.ts'

interface List {
  readonly name: string
  readonly subject: (index: number) => string
  readonly path: (subject: string) => string
  readonly count: (size: UniformTables) => number
  readonly checked: CheckedList
}

const lists: readonly List[] = [
  {
    name: 'transactions of an address',
    subject: addressHash,
    path: (subject) => `addresses/${subject}/transactions`,
    count: ({ addresses }) => addresses,
    checked: checkedLists.transactionsOfAddress,
  },
  {
    name: 'transfers of a transaction',
    subject: transactionHash,
    path: (subject) => `transactions/${subject}/token-transfers`,
    count: ({ transactions }) => transactions,
    checked: checkedLists.transfersOfTransaction,
  },
  {
    name: 'transfers of a token',
    subject: tokenHash,
    path: (subject) => `tokens/${subject}/transfers`,
    count: ({ tokens }) => tokens,
    checked: checkedLists.transfersOfToken,
  },
  {
    name: 'holders of a token',
    subject: tokenHash,
    path: (subject) => `tokens/${subject}/holders`,
    count: ({ tokens }) => tokens,
    checked: checkedLists.holdersOfToken,
  },
]

/** One of so many pages is compared with a naive statement, at least three of each list. */
const checkedShare = 100

export const readCold = benchmark({
  name: 'read-cold',
  about: 'first pages that no cache has, of uniform subjects, beside SELECT 1',
  method:
    'A process of the API on the embedded engine, a new one for each list and number of clients; ' +
    'closed loop, each subject once. Beside each latency the median of `SELECT 1` over the same ' +
    'HTTP. One page in a hundred is compared with a statement that sorts all rows of the subject.',
  limits: 'Parts are freshly merged, and the operating system has the files in memory.',
  seed: null,
  needs: 'engine',
  sizes: {
    transactions: { about: 'transactions of uniform addresses', full: 1_000_000, quick: 20_000 },
    addresses: { about: 'addresses', full: 400_000, quick: 2_000 },
    tokens: { about: 'tokens', full: 100_000, quick: 1_000 },
    busyRows: { about: 'rows of one address and of one token', full: 1_000_000, quick: 10_000 },
    pages: { about: 'pages a list and a number of clients', full: 1_000, quick: 48 },
    clientsMax: { about: 'clients at most, of 1, 16 and 128', full: 128, quick: 16 },
  },
  async run(sizes, context) {
    const workspace = await context.workspace()
    const store = await workspace.store('cold')
    await fillUniformTables(store, sizes)
    context.progress('tables filled')
    const floorMs = await bareQuery(store)
    const figures: Figure[] = []
    for (const clients of [1, 16, 128].filter((count) => count <= sizes.clientsMax)) {
      for (const list of lists) {
        const api = await startApiProcess(workspace.address, 'cold')
        try {
          const loop = {
            api,
            enginePid: workspace.pid,
            store,
            clients,
            count: sizes.pages,
            of: list.count(sizes),
          }
          figures.push(...(await readFirstPages(list, loop, floorMs)))
        } finally {
          await api.stop()
        }
      }
    }
    return figures
  },
})

interface Loop {
  readonly api: ApiProcess
  readonly enginePid: number
  readonly store: Store
  readonly clients: number
  /** Pages, of so many subjects. */
  readonly count: number
  readonly of: number
}

async function readFirstPages(list: List, loop: Loop, floorMs: number): Promise<Figure[]> {
  const { api, enginePid, store, clients, of } = loop
  const count = Math.min(loop.count, of)
  const step = Math.floor(of / count)
  const subjects = Array.from({ length: count }, (_, at) =>
    list.subject(((clients % step) + at * step) % of),
  )
  const targets = subjects.map((subject) => `/api/v2/${list.path(subject)}`)
  const bodies = new Map<string, Buffer>()
  const every = Math.max(1, Math.min(checkedShare, Math.floor(count / 3)))
  const toCheck = subjects.filter((_, at) => at % every === 0)
  const toKeep = new Set(toCheck.map(list.path).map((path) => `/api/v2/${path}`))
  const cpuMs = () => [processNow(api.pid).cpuMs, processNow(enginePid).cpuMs] as const
  const before = cpuMs()
  const result = await closedLoop({
    port: api.port,
    clients,
    targets,
    onBody: (target, body) => void (toKeep.has(target) && bodies.set(target, body)),
  })
  const after = cpuMs()
  for (const subject of toCheck) {
    const body = bodies.get(`/api/v2/${list.path(subject)}`)
    if (body === undefined) continue
    await assertFirstPage(store, list.checked, { subject, body })
  }
  return figuresOf(`${list.name}, ${clients} clients`, result, {
    floorMs,
    clients,
    cpuMs: { api: (after[0] - before[0]) / count, engine: (after[1] - before[1]) / count },
    checkedAnswers: bodies.size,
  })
}

interface Beside {
  readonly floorMs: number
  /** Processor time of a page. */
  readonly cpuMs: { readonly api: number; readonly engine: number }
  readonly clients: number
  readonly checkedAnswers: number
}

/** Pages of a second with 128 clients; those of transactions cost most. */
const perSecondMin = (name: string) => (name.startsWith('transactions') ? 1_000 : 2_500)

function figuresOf(name: string, result: LoopResult, beside: Beside): Figure[] {
  const { floorMs, clients, checkedAnswers } = beside
  const one = (of: string, value: number, goal?: Goal): Figure =>
    figureOf({
      name: `${name}, ${of}`,
      unit: 'ms',
      values: [value],
      baseline: { part: 'SELECT 1', values: [floorMs] },
      goal,
      checkedAnswers,
    })
  const perSecond = figureOf({
    name,
    unit: 'pages/s',
    values: [result.perSecond],
    goal:
      clients === 128 ? { of: 'value', bound: 'at least', limit: perSecondMin(name) } : undefined,
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
    cpu('processor time of the API', beside.cpuMs.api),
    cpu('processor time of ClickHouse', beside.cpuMs.engine),
  ]
}

async function bareQuery(store: Store): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < 300; run++) {
    const startedAt = performance.now()
    await store.query('SELECT 1', {})
    times.push(performance.now() - startedAt)
  }
  return median(times)
}
