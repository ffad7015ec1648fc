import { z } from 'zod'
import type { HttpHandler } from '../../libs/ports/http.ts'
import type { QueryCost, Store } from '../../libs/ports/store.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { formsOf } from '../../libs/queries/reading/query.ts'
import { declaredQueries } from '../../libs/queries/testing/declared-queries.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { tableNamed } from '../../libs/tables/testing/insert-made.ts'
import { startApi } from '../../services/api/api.ts'
import { type Figure, figureOf } from '../report/result.ts'

/** A page and the keys of its items, from a computation of another kind. */
export interface ExpectedPage {
  readonly target: string
  readonly keys: readonly string[]
  readonly keyOf: (item: unknown) => string
}

/** Pages whose mean cost is one measurement. */
export interface PageGroup {
  readonly name: string
  readonly api: MeasuredApi
  readonly pages: readonly ExpectedPage[]
}

/** Of a page, one value a round. */
export interface PageCosts {
  /** Of the API and of ClickHouse together. */
  readonly processorMs: number[]
  readonly elapsedMs: number[]
}

export interface MeasuredApi {
  readonly handler: HttpHandler
  readonly store: Store
  /** The largest share that a query has used of its budget of rows or of bytes. */
  readonly budgets: LargestShare
  stop(): Promise<void>
}

interface LargestShare {
  share: number
  query: string
}

/** The API in this process without cached pages, on tables that nothing changes. */
export async function startMeasuredApi(store: Store): Promise<MeasuredApi> {
  const budgets = { share: 0, query: 'none' }
  const api = await startApi({
    store: withBudgets(store, budgets),
    eventLog: memoryEventLog(),
    chainId: 1,
    log: silentLog,
    metrics: startMetrics(),
    limits: { pageCacheBytesMax: 1 },
  })
  return { handler: api.handler, store, budgets, stop: () => api.stop() }
}

function withBudgets(store: Store, largest: LargestShare): Store {
  const queries = new Map(
    declaredQueries.flatMap((query) => formsOf(query).map((sql) => [sql, query] as const)),
  )
  return {
    ...store,
    query(sql, parameters, options) {
      const onCost = ({ rowsRead, bytesRead }: QueryCost) => {
        const query = queries.get(sql)
        if (query === undefined) return
        const { rowsMax, bytesMax } = query.budget
        const share = Math.max(rowsRead / rowsMax, bytesRead / bytesMax)
        if (share > largest.share) Object.assign(largest, { share, query: query.name })
      }
      return store.query(sql, parameters, { ...options, onCost })
    },
  }
}

/**
 * Reads all groups in turn, so many times. The first time is not counted; its answers are checked.
 * @throws if a page has other items than expected
 */
export async function measurePages(
  groups: readonly PageGroup[],
  rounds: number,
): Promise<ReadonlyMap<string, PageCosts>> {
  for (const { api, pages } of groups) {
    for (const page of pages) assertItems(page, await bodyOf(api, page.target))
  }
  const costs = new Map<string, PageCosts>()
  for (let round = 0; round < rounds; round++) {
    for (const { name, api, pages } of groups) {
      const cost = costs.get(name) ?? { processorMs: [], elapsedMs: [] }
      costs.set(name, cost)
      const engineBefore = await engineMs(api.store)
      const before = process.cpuUsage()
      const startedAt = performance.now()
      for (const { target } of pages) await bodyOf(api, target)
      const elapsed = performance.now() - startedAt
      const { user, system } = process.cpuUsage(before)
      const processor = (await engineMs(api.store)) - engineBefore + (user + system) / 1_000
      cost.elapsedMs.push(elapsed / pages.length)
      cost.processorMs.push(processor / pages.length)
    }
  }
  return costs
}

async function bodyOf({ handler }: MeasuredApi, target: string): Promise<Buffer> {
  const [path = '', query = ''] = target.split('?')
  const request = { method: 'GET', path, query, headers: {}, client: '127.0.0.1' }
  const { status, body } = await handler(request)
  if (status !== 200) throw new Error(`${target}: status ${status}`)
  return Buffer.from(body)
}

const pageBody = z.object({ items: z.array(z.unknown()) })

function assertItems({ target, keys, keyOf }: ExpectedPage, body: Buffer): void {
  const found = pageBody.parse(JSON.parse(body.toString())).items.map(keyOf)
  if (found.join('\n') === keys.join('\n')) return
  throw new Error(`${target}: ${found.join(', ')} instead of ${keys.join(', ')}`)
}

/** The largest share of its budget that a query has used; `of` names the tables of several. */
export const budgetFigure = ({ budgets }: MeasuredApi, of = ''): Figure =>
  figureOf({
    name: `largest share of a query's budget${of}: ${budgets.query}`,
    unit: 'of 1',
    values: [budgets.share],
    goal: { of: 'value', bound: 'at most', limit: 1 },
    checkedAnswers: 0,
  })

/** Processor time of all queries so far. */
async function engineMs(store: Store): Promise<number> {
  const answer = await store.query(
    `SELECT toUInt64(sum(value)) FROM system.events
     WHERE event IN ('UserTimeMicroseconds', 'SystemTimeMicroseconds')`,
    {},
  )
  return Number(answer.readBigUInt64LE(0)) / 1_000
}

const mergeAttemptsMax = 10
const mergesMaxMs = 30 * 60_000
const mergesPollMs = 500

/** Until nothing but the measured pages uses the processor. @throws after half an hour */
export async function untilMerged(store: Store): Promise<void> {
  const deadline = performance.now() + mergesMaxMs
  const merges = async () =>
    (await store.query('SELECT toUInt8(count() > 0) FROM system.merges', {})).readUInt8(0)
  while ((await merges()) > 0) {
    if (performance.now() > deadline) throw new Error(`merges run for ${mergesMaxMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, mergesPollMs))
  }
}

/**
 * Merges each table into one part. How many parts merges leave by themselves differs from table to
 * table, and a statement takes longer for each (`benchmarks/NOTES.md`, "Parts of a table").
 * @throws if a table has another number of parts afterwards, with the server's reason
 */
export async function mergeToOnePart(store: Store, tables: readonly string[]): Promise<void> {
  for (const table of tables.map((name) => tableNamed(name).stored)) {
    let parts = 0n
    for (let attempt = 1; parts !== 1n; attempt++) {
      if (attempt > mergeAttemptsMax) throw new Error(`${table} has ${parts} parts`)
      await untilMerged(store)
      // A merge that has begun meanwhile has some of the parts: then the statement does nothing.
      const isLast = attempt === mergeAttemptsMax ? 1 : 0
      await store.execute(
        `OPTIMIZE TABLE ${table} FINAL
         SETTINGS optimize_skip_merged_partitions = 1, optimize_throw_if_noop = ${isLast}`,
      )
      parts = await partsOf(store, table)
    }
  }
}

async function partsOf(store: Store, table: string): Promise<bigint> {
  const answer = await store.query(
    `SELECT count() FROM system.parts
     WHERE active AND database = currentDatabase() AND table = {table:String}`,
    { table },
  )
  return answer.readBigUInt64LE(0)
}
