import type { Store } from '../libs/ports/store.ts'
import { benchmark } from './benchmark.ts'
import { type DeepList, deepLists } from './read/deep-lists.ts'
import { fillDeepTables, listTables } from './read/deep-tables.ts'
import {
  budgetFigure,
  type MeasuredApi,
  measurePages,
  mergeToOnePart,
  type PageCosts,
  type PageGroup,
  startMeasuredApi,
} from './read/measured-pages.ts'
import { naivePages } from './read/naive-pages.ts'
import { naiveStore } from './read/naive-store.ts'
import { type Figure, figureOf } from './report/result.ts'

const pageRows = 50
const depths = [1, 100, 10_000] as const
/** Of the last page to the first. */
const deepLimit = 1.2

export const readDeep = benchmark({
  name: 'read-deep',
  about:
    'pages 1, 100 and 10,000 of one subject, its sorts and filters; holders with equal balances and churn',
  method:
    'One process without cached pages, one request at a time through the handler of the API, all ' +
    'groups of pages in turn. Each table but that of holders is merged into one part: the number ' +
    'that merges leave differs by chance. Cost is processor time of the API and of ClickHouse, ' +
    'medians of the rounds. Deep pages are compared with the first ones of the same list, sorted and ' +
    'filtered lists with the plain one. Each page is compared with a statement that reads all rows of the ' +
    'subject with FINAL and sorts them.',
  limits:
    'Nothing is concurrent, merges have ended, and the operating system has the files in memory. ' +
    'The goals are for 10,000,000 rows: run it with --rows 10000000.',
  seed: null,
  needs: 'engine',
  sizes: {
    rows: { about: 'rows of the subject in each list', full: 1_000_000, quick: 12_000 },
    equalHolders: { about: 'holders with equal balances', full: 1_000_000, quick: 12_000 },
    churnBlocks: {
      about: 'blocks in which the 20 largest holders trade',
      full: 100_000,
      quick: 500,
    },
    pages: { about: 'pages in a row at each depth', full: 8, quick: 2 },
    rounds: { about: 'times that each is measured', full: 7, quick: 1 },
  },
  async run(sizes, context) {
    const workspace = await context.workspace()
    const store = await workspace.store('deep')
    await fillDeepTables(store, sizes)
    await mergeToOnePart(store, listTables)
    context.progress('tables filled')
    const naive = naiveStore(workspace.address, 'deep')
    const api = await startMeasuredApi(store)
    try {
      const groups: PageGroup[] = []
      for (const one of deepLists) groups.push(...(await groupsOf(one, { ...sizes, api, naive })))
      context.progress(`${groups.length} groups of pages`)
      const costs = await measurePages(groups, sizes.rounds)
      return [...figuresOf(groups, costs), budgetFigure(api)]
    } finally {
      await api.stop()
      await naive.close()
    }
  },
})

interface GroupsOptions {
  readonly rows: number
  readonly equalHolders: number
  readonly pages: number
  readonly api: MeasuredApi
  readonly naive: Store
}

const nameAt = (name: string, depth: number) =>
  depth === 1 ? name : `${name}, page ${depth.toLocaleString('en')}`

async function groupsOf(
  { name, list, rows }: DeepList,
  { api, naive, pages, ...sizes }: GroupsOptions,
): Promise<PageGroup[]> {
  const listed = { all: sizes.rows, equal: sizes.equalHolders, few: 0 }[rows]
  const groups: PageGroup[] = []
  for (const depth of depths) {
    if (depth > 1 && (depth + pages) * pageRows > listed) continue
    const range = { first: depth, count: rows === 'few' ? 1 : pages }
    groups.push({ name: nameAt(name, depth), api, pages: await naivePages(naive, list, range) })
  }
  return groups
}

function figuresOf(groups: readonly PageGroup[], costs: ReadonlyMap<string, PageCosts>): Figure[] {
  const counts = new Map(groups.map(({ name, pages }) => [name, pages.length]))
  return deepLists.flatMap(({ name, beside }) =>
    depths.flatMap((depth) => {
      const own = nameAt(name, depth)
      const first = depth === 1 ? undefined : { part: name, limit: deepLimit }
      const plain = beside && { part: nameAt(beside.name, depth), limit: beside.limit }
      const baselines = [first, plain].filter((one) => one !== undefined)
      const measured = { name: own, costs, checkedAnswers: counts.get(own) ?? 0 }
      return (baselines.length === 0 ? [undefined] : baselines).flatMap((baseline) => [
        ...figure(measured, 'processorMs', baseline),
        ...figure(measured, 'elapsedMs', baseline),
      ])
    }),
  )
}

interface MeasuredGroup {
  readonly name: string
  readonly costs: ReadonlyMap<string, PageCosts>
  readonly checkedAnswers: number
}

function figure(
  { name, costs, checkedAnswers }: MeasuredGroup,
  of: keyof PageCosts,
  baseline: { readonly part: string; readonly limit: number } | undefined,
): Figure[] {
  const cost = costs.get(name)
  if (cost === undefined) return []
  const base = baseline && costs.get(baseline.part)
  const isGoal = base !== undefined && of === 'processorMs'
  return [
    figureOf({
      name: of === 'processorMs' ? name : `${name}, elapsed`,
      unit: 'ms',
      values: cost[of],
      baseline: base && baseline && { part: baseline.part, values: base[of] },
      goal: isGoal ? { of: 'ratio', bound: 'at most', limit: baseline?.limit ?? 1 } : undefined,
      checkedAnswers,
    }),
  ]
}
