import { position } from '../../../libs/chain/position.ts'
import type { Cache } from '../../../libs/ports/cache.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../../../libs/ports/http.ts'
import { checkDeclared } from '../../../libs/presenters/testing/declared.ts'
import { type Log, silentLog } from '../../../libs/signals/log.ts'
import { startMetrics } from '../../../libs/signals/metrics.ts'
import { type GroupName, groupId } from '../../../libs/tables/declare/group-versions.ts'
import type { Announcement } from '../../../libs/topics/changes.ts'
import type { CachePositions } from '../clock/cache-positions.ts'
import { followedFamilies, HeadOfGroups, throttleWindow } from '../clock/follow-changes.ts'
import { InvalidationClock } from '../clock/invalidation-clock.ts'
import { apiHandler } from '../handler.ts'
import { pagesVersion } from '../pages/answers-version.ts'
import { type PageLoadLimits, PageLoads } from '../pages/page-loads.ts'
import { Pages } from '../pages/pages.ts'
import type { Time } from '../pages/single-flight.ts'
import { ClientAddresses } from '../request/limits/client-address.ts'
import type { RequestLimits } from '../request/limits/request-limits.ts'
import { LargeLoads } from '../rows/large-loads.ts'
import { RateOrdering } from '../rows/rate-ordering.ts'
import type { RunQuestion } from '../rows/run-question.ts'
import { sharedRowsOf } from '../rows/shared-rows.ts'
import { NewestBlocks } from '../status/newest-blocks.ts'
import { Status } from '../status/status.ts'
import type { StatusStreamLimits } from '../status/status-streams.ts'
import { type Answers, runOnAnswers } from './answers.ts'

interface Limits {
  readonly loads?: Partial<PageLoadLimits>
  readonly pageCacheBytesMax?: number
  /** Shared with others; none if left out. */
  readonly cache?: Cache
  /** While another process loads a page. */
  readonly time?: Time
  /** Receives what the API consumes. */
  readonly positions?: CachePositions
  /** In the tables, where the announcement was missed; none by default. */
  readonly writtenRateHour?: () => Promise<number>
  /** Takes the lines of the handler. */
  readonly log?: Log
  readonly requestLimits?: RequestLimits
  readonly publishedTypes?: boolean
  /** Of the status page, whose bounds these are; null: there is none. */
  readonly status?: Partial<StatusStreamLimits> | null
}

/** The API on tables that a spec answers itself: all of it but the socket. */
export function testApi(answers: Answers | RunQuestion = {}, limits: Limits = {}) {
  const { loads = {}, pageCacheBytesMax = 1_000_000, cache, positions, log = silentLog } = limits
  const { requestLimits = null, time, publishedTypes = false, status: page = {} } = limits
  const of = { chainId: 31_337, publishedTypes }
  const run = typeof answers === 'function' ? answers : runOnAnswers(answers)
  const metrics = startMetrics()
  const newest = new NewestBlocks()
  const head = new HeadOfGroups((shown) => newest.add(shown, Date.now()))
  const clock = new InvalidationClock(followedFamilies, positions)
  /** Delivers an announcement, null for an unreadable one. */
  const deliver = (offset: number, announced: Announcement | null) => {
    clock.apply(offset, announced)
    if (announced !== null) head.apply(announced)
  }
  const announce = (
    group: GroupName,
    at: number,
    told: Partial<Pick<Announcement, 'time' | 'moved'>> = {},
  ) => {
    const place = { after: position(0), position: position(at), block: 100 + at, hash: null }
    const rest = { time: 1_700_000_000 + 12 * at, facts: null, moved: {}, ...told }
    deliver(clock.now.offset, { group: groupId(group), ...place, ...rest })
  }
  const window = throttleWindow(() => head.head, figuresStepSeconds)
  const pages = new Pages({
    clock,
    head: () => head.head,
    window,
    bytesMax: pageCacheBytesMax,
    metrics,
    loads: new PageLoads(loads),
    version: pagesVersion('spec', { ...of, figuresStepSeconds }),
    ...(cache === undefined ? {} : { cache }),
    ...(time === undefined ? {} : { time }),
    onLease: (outcome) => metrics.pageLeases.inc({ outcome }),
  })
  const { rows: shared, filters } = sharedRowsOf({
    ...{ run, clock, metrics, window },
    ...{ cachedRowsMax: 1_000, filteredSubjectsMax: 1_000 },
  })
  const largeLoads = new LargeLoads()
  const { writtenRateHour = async () => 0 } = limits
  const rates = new RateOrdering({ run, clock, rateHour: () => head.rateHour, writtenRateHour })
  const sources = {
    run,
    shared,
    rates,
    pages,
    largeLoads,
    clients: new ClientAddresses([]),
    head: () => head.head,
    ...of,
  }
  const shown = { ...of, head, newest, metrics, log, store: neverAnswering, hasRedis: false }
  const status = page === null ? null : new Status({ ...shown, limits: page })
  const handler = apiHandler({ sources, log, metrics, limits: requestLimits, status })
  return {
    handler,
    filters,
    announce,
    deliver,
    clock,
    head,
    metrics,
    counted: () => metrics.registry.metrics(),
    ask: requester(handler),
  }
}

/** Of the sizes of tables, which no spec of the API needs. */
const neverAnswering = { query: () => new Promise<Buffer>(() => {}) }

/** Of the specs. */
export const figuresStepSeconds = 30

type Changes = Partial<Omit<HttpRequest, 'path' | 'query'>>

const requester =
  (handler: HttpHandler) =>
  async (target: string, changes: Changes = {}): Promise<HttpResponse> => {
    const cut = target.indexOf('?')
    const path = cut < 0 ? target : target.slice(0, cut)
    const { status, headers, body } = await handler({
      method: 'GET',
      path,
      query: cut < 0 ? '' : target.slice(cut + 1),
      headers: {},
      client: '127.0.0.1',
      ...changes,
    })
    const response = { status, headers, body }
    // Whatever a spec asks for in the plain way, its answer is as the document tells.
    const isPlain = changes.headers === undefined && changes.method === undefined
    if (response.status === 200 && isPlain && path.startsWith('/api/v2/')) {
      checkDeclared(path, bodyOf(response))
    }
    return response
  }

/** The body as JSON. */
export const bodyOf = (response: HttpResponse): unknown =>
  JSON.parse(response.body.toString('utf8'))
