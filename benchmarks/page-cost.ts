import { testApi } from '../services/api/testing/test-api.ts'
import { benchmark } from './benchmark.ts'
import { type CraftedPage, craftedPages, randomPage } from './page-cost/crafted-pages.ts'
import { type Figure, figureOf, median } from './report/result.ts'

const firstSeed = 35
/** Pages of the report. */
const shownMax = 15
/** Runs before those that count: the code is compiled by then. */
const warmRuns = 4
const barMs = 20

interface Cost {
  readonly page: string
  readonly values: readonly number[]
}

/** Processor time of a page in milliseconds, for each run; its caches of pages hold nothing. */
async function costOf({ name, target, answers }: CraftedPage, runs: number): Promise<Cost> {
  const { ask } = testApi(answers, { pageCacheBytesMax: 1 })
  const values: number[] = []
  let digest = ''
  for (let run = -warmRuns; run < runs; run++) {
    globalThis.gc?.()
    const before = process.cpuUsage()
    // Named, as what is asked in the plain way is checked against the document.
    const { status, headers } = await ask(target, { method: 'GET' })
    const { user, system } = process.cpuUsage(before)
    if (status !== 200) throw new Error(`${name}: status ${status}`)
    const etag = headers.etag ?? ''
    if (digest !== '' && etag !== digest) throw new Error(`${name}: another answer`)
    digest = etag
    if (run >= 0) values.push((user + system) / 1_000)
  }
  return { page: name, values }
}

export const pageCost = benchmark({
  name: 'page-cost',
  about: 'processor time of the most expensive pages that strangers can fill, found by search',
  method:
    'One process, no cache of pages, rows in memory: what is measured is looking up, decoding and ' +
    'rendering. Crafted contents for all endpoints, then as many random ones, a seed each; median ' +
    `of the runs after ${warmRuns} that do not count. All runs of a page have the same ETag.`,
  limits: 'Statements, the decoding of their results, and compression.',
  seed: firstSeed,
  needs: 'engine',
  sizes: {
    random: { about: 'random pages', full: 200, quick: 3 },
    runs: { about: 'runs of a page', full: 9, quick: 2 },
  },
  async run({ random, runs }, { progress }) {
    const costs: Cost[] = []
    for (const page of craftedPages(firstSeed)) costs.push(await costOf(page, runs))
    progress(`${costs.length} crafted pages`)
    for (let seed = 1; seed <= random; seed++) {
      const page = randomPage(seed)
      costs.push(await costOf({ ...page, name: `${page.name} (seed ${seed})` }, runs))
    }
    costs.sort((a, b) => median(b.values) - median(a.values))
    return costs.slice(0, shownMax).map((cost) => figure(cost, runs))
  },
})

const figure = ({ page, values }: Cost, runs: number): Figure =>
  figureOf({
    name: page,
    unit: 'ms',
    values,
    goal: { of: 'value', bound: 'at most', limit: barMs },
    checkedAnswers: runs,
  })
