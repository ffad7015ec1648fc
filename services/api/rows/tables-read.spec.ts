import { expect, test } from 'vitest'
import { startMetrics } from '../../../libs/signals/metrics.ts'
import { familiesOf } from '../../../libs/tables/declare/table.ts'
import { allTables } from '../../../libs/tables/tables/all-tables.ts'
import { Dependencies } from '../clock/dependencies.ts'
import { followedFamilies } from '../clock/follow-changes.ts'
import { InvalidationClock } from '../clock/invalidation-clock.ts'
import { routes } from '../endpoints/routes.ts'
import { linkedTargets } from '../endpoints/testing/stories.ts'
import { renderPage } from '../render-page.ts'
import { router, segmentsOf } from '../request/router.ts'
import { linked, linkedRows } from '../testing/linked-rows.ts'
import { oneRowStore } from '../testing/one-row-store.ts'
import { LargeLoads } from './large-loads.ts'
import { RateOrdering } from './rate-ordering.ts'
import { runOnStore } from './run-question.ts'
import { sharedRowsOf } from './shared-rows.ts'

const { token, owner } = linked
const { store, asked } = oneRowStore(linkedRows)

/** Lists of an address are asked of a contract, too. */
const questions = [
  ...new Set(
    linkedTargets.flatMap((of) => [of, of.replace(`addresses/${owner}`, `addresses/${token}`)]),
  ),
]

const routeOf = router(routes)

/** Families that the answer says it depends on, and tables that were asked for it. */
async function walked(target: string) {
  asked.clear()
  const [path = '', query = ''] = target.split('?')
  const match = routeOf(segmentsOf(path))
  const question = match?.route.parse(match.subject, query)
  if (question === undefined || 'faults' in question) throw new Error(`no question: ${target}`)
  const clock = new InvalidationClock(followedFamilies)
  const run = runOnStore(store)
  const metrics = startMetrics()
  // Nothing is remembered from the question before.
  const bounds = { cachedRowsMax: 100, filteredSubjectsMax: 100 }
  const { rows: shared } = sharedRowsOf({ run, clock, metrics, window: () => 1, ...bounds })
  const rates = new RateOrdering({ run, clock, rateHour: () => 1, writtenRateHour: async () => 1 })
  const on = new Dependencies(clock.now, 1)
  const head = { block: 110, time: 1_800_000_000 }
  const { dependencies, body } = await renderPage(
    question,
    { run, shared, rates, largeLoads: new LargeLoads(), chainId: 1, publishedTypes: false },
    { on, head, signal: new AbortController().signal },
  )
  expect(body, `${target} is there`).not.toBeNull()
  const buckets = [...dependencies.exactly, ...dependencies.throttled].map(([family]) => family)
  return { tables: [...asked], families: new Set([...buckets, ...dependencies.wholly]) }
}

test.each(questions)('depends on every table that is read for %s', async (target) => {
  const { tables, families } = await walked(target)
  expect(tables.length).toBeGreaterThan(0)
  const forgotten = tables.filter((name) => !families.has(name) && !isCovered(name, families))
  expect(forgotten).toEqual([])
})

/** By the other table that its fold writes with it, or by the names of its tokens. */
function isCovered(name: string, families: ReadonlySet<string>): boolean {
  const table = allTables.find((table) => table.name === name)
  if (table === undefined || table.invalidatedWith === 'nothing') return false
  return familiesOf(table.invalidatedWith ?? table).some((family) => families.has(family))
}

test('the requests read every table that is declared as read for answers, and no other', async () => {
  const all = new Set<string>()
  for (const target of questions) for (const table of (await walked(target)).tables) all.add(table)
  const declared = allTables.filter(({ invalidatedWith }) => invalidatedWith !== 'nothing')
  expect([...all].sort()).toEqual(declared.map(({ name }) => name).sort())
})

test('follows every family that an answer can depend on', async () => {
  const followed = new Set(followedFamilies.map(({ name }) => name))
  for (const target of questions) {
    const { families } = await walked(target)
    expect([...families].filter((family) => !followed.has(family))).toEqual([])
  }
})
