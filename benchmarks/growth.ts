import type { Store } from '../libs/ports/store.ts'
import { readableName } from '../libs/tables/declare/ddl.ts'
import { benchmark } from './benchmark.ts'
import {
  budgetFigure,
  type ExpectedPage,
  type MeasuredApi,
  measurePages,
  mergeToOnePart,
  type PageCosts,
  type PageGroup,
  startMeasuredApi,
} from './read/measured-pages.ts'
import { type CheckedList, checkedLists, stringsOf } from './read/naive-first-page.ts'
import { addressHash, tokenHash, transactionHash } from './read/uniform-subjects.ts'
import {
  busyIndex,
  fillUniformTables,
  type UniformTables,
  uniformTables,
} from './read/uniform-tables.ts'
import { type Figure, figureOf } from './report/result.ts'

interface GrowthList {
  readonly name: string
  readonly path: (subject: string) => string
  readonly subject: (index: number) => string
  /** Subjects with few rows; none: only the busy one is read. */
  readonly count: (size: UniformTables) => number
  readonly hasBusy: boolean
  readonly checked: CheckedList
}

/** From the view, whose values come from the rows by block; `final` reaches its table. */
const byValue: CheckedList = {
  ...checkedLists.transactionsOfAddress,
  keys: checkedLists.transactionsOfAddress.keys
    .replace('DISTINCT', 'DISTINCT value,')
    .replace('transactions_by_address FINAL', readableName('transactions_by_address'))
    .replace('ORDER BY', 'ORDER BY value DESC,')
    .concat(' SETTINGS final = 1'),
}

const lists: readonly GrowthList[] = [
  {
    name: 'transactions of an address',
    path: (subject) => `addresses/${subject}/transactions?`,
    subject: addressHash,
    count: ({ addresses }) => addresses,
    hasBusy: true,
    checked: checkedLists.transactionsOfAddress,
  },
  {
    name: 'transactions of an address by value',
    path: (subject) => `addresses/${subject}/transactions?sort=value&order=desc`,
    subject: addressHash,
    count: ({ addresses }) => addresses,
    hasBusy: true,
    checked: byValue,
  },
  {
    name: 'transfers of a transaction',
    path: (subject) => `transactions/${subject}/token-transfers?`,
    subject: transactionHash,
    count: ({ transactions }) => transactions,
    hasBusy: false,
    checked: checkedLists.transfersOfTransaction,
  },
  {
    name: 'transfers of a token',
    path: (subject) => `tokens/${subject}/transfers?`,
    subject: tokenHash,
    count: ({ tokens }) => tokens,
    hasBusy: true,
    checked: checkedLists.transfersOfToken,
  },
  {
    name: 'holders of a token',
    path: (subject) => `tokens/${subject}/holders?`,
    subject: tokenHash,
    count: ({ tokens }) => tokens,
    hasBusy: true,
    checked: checkedLists.holdersOfToken,
  },
]

const growthLimit = 1.2
const factors = [1, 10, 100] as const

export const growth = benchmark({
  name: 'growth',
  about: 'the same pages on tables that are ten times larger',
  method:
    'A database of each size, made inside the engine; addresses and tokens grow with the transfers, ' +
    'and one address and one token have a tenth of all rows. One process without cached pages, one ' +
    'request at a time, the sizes in turn. Each table is merged into one part: the number that ' +
    'merges leave differs by chance, and each part costs time. Cost is processor time of the API ' +
    'and of ClickHouse: medians of the rounds. Each page is compared with a statement that sorts ' +
    'all rows of its subject.',
  limits:
    'A table that is being written has more parts, a larger one some more than a smaller one. The ' +
    'operating system has the files in memory.',
  seed: null,
  needs: 'engine',
  sizes: {
    transfers: { about: 'transfers of the smallest database', full: 1_000_000, quick: 2_000 },
    largest: { about: 'times as many in the largest one: 1, 10 or 100', full: 10, quick: 10 },
    pages: { about: 'subjects of each list', full: 24, quick: 3 },
    rounds: { about: 'times that each is measured', full: 7, quick: 1 },
  },
  async run({ transfers, largest, pages, rounds }, context) {
    const workspace = await context.workspace()
    const apis: MeasuredApi[] = []
    const groups: PageGroup[] = []
    const used = factors.filter((factor) => factor <= largest)
    try {
      for (const factor of used) {
        const store = await workspace.store(`growth_${factor}`)
        const size = sizeOf(transfers * factor)
        await fillUniformTables(store, size)
        context.progress(`${size.transactions} transfers`)
        const api = await startMeasuredApi(store)
        apis.push(api)
        groups.push(...(await groupsOf({ api, store, size, pages, factor })))
      }
      for (const { store } of apis) await mergeToOnePart(store, uniformTables)
      const costs = await measurePages(groups, rounds)
      const checked = new Map(groups.map((group) => [group.name, group.pages.length]))
      return [
        ...figuresOf(used, costs, checked),
        ...apis.map((api, at) => budgetFigure(api, `, x ${factors[at]}`)),
      ]
    } finally {
      for (const api of apis) await api.stop()
    }
  },
})

const sizeOf = (transfers: number): UniformTables => ({
  transactions: Math.ceil(transfers * 0.9),
  addresses: Math.ceil(transfers * 0.4),
  tokens: Math.ceil(transfers * 0.1),
  busyRows: Math.ceil(transfers * 0.1),
})

interface GroupsOptions {
  readonly api: MeasuredApi
  readonly store: Store
  readonly size: UniformTables
  readonly pages: number
  readonly factor: number
}

const nameOf = (name: string, factor: number) => (factor === 1 ? name : `${name}, x ${factor}`)
const busyName = (name: string) => `${name}, busy`

async function groupsOf(options: GroupsOptions): Promise<PageGroup[]> {
  const { api, size, pages, factor } = options
  const groups: PageGroup[] = []
  for (const list of lists) {
    const count = list.count(size)
    const subjects = Array.from({ length: pages }, (_, at) => Math.floor((at * count) / pages))
    const plain = await expectedPages(options, list, subjects)
    groups.push({ name: nameOf(list.name, factor), api, pages: plain })
    if (!list.hasBusy) continue
    const busy = await expectedPages(options, list, [busyIndex])
    groups.push({ name: nameOf(busyName(list.name), factor), api, pages: busy })
  }
  return groups
}

/** Of the subjects that have rows: some addresses and tokens have none. */
async function expectedPages(
  { store }: GroupsOptions,
  { path, subject, checked }: GrowthList,
  indexes: readonly number[],
): Promise<ExpectedPage[]> {
  const pages: ExpectedPage[] = []
  for (const index of indexes) {
    const name = subject(index)
    const keys = await stringsOf(store, checked.keys, name)
    if (keys.length === 0) continue
    pages.push({ target: `/api/v2/${path(name)}`, keys, keyOf: checked.keyOf })
  }
  return pages
}

function figuresOf(
  used: readonly number[],
  costs: ReadonlyMap<string, PageCosts>,
  checked: ReadonlyMap<string, number>,
): Figure[] {
  const names = lists.flatMap(({ name, hasBusy }) => (hasBusy ? [name, busyName(name)] : [name]))
  return names.flatMap((name) =>
    used.flatMap((factor) => {
      const cost = costs.get(nameOf(name, factor))
      const base = costs.get(name)
      if (cost === undefined || base === undefined) return []
      const besideSmallest = factor === 1 ? undefined : { part: name, values: base.processorMs }
      return figureOf({
        name: nameOf(name, factor),
        unit: 'ms',
        values: cost.processorMs,
        baseline: besideSmallest,
        goal: besideSmallest && { of: 'ratio', bound: 'at most', limit: growthLimit },
        checkedAnswers: checked.get(nameOf(name, factor)) ?? 0,
      })
    }),
  )
}
