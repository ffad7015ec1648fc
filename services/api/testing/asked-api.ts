import { position } from '../../../libs/chain/position.ts'
import type { Cache } from '../../../libs/ports/cache.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../../../libs/ports/http.ts'
import { checkDeclared } from '../../../libs/presenters/testing/declared.ts'
import { type Log, silentLog } from '../../../libs/signals/log.ts'
import { startMetrics } from '../../../libs/signals/metrics.ts'
import type { Announcement } from '../../../libs/topics/changes.ts'
import type { Asks, AsksFor } from '../asks.ts'
import { followedFamilies } from '../families.ts'
import { apiHandler } from '../handler.ts'
import { HeadOfGroups } from '../head.ts'
import { LargeLoads } from '../large-loads.ts'
import { Moved } from '../moved.ts'
import { type PageLoadLimits, PageLoads } from '../page-loads.ts'
import { Pages } from '../pages.ts'
import type { Positions } from '../positions.ts'
import { RateOrdering } from '../rate-ordering.ts'
import { sharedOf } from '../remembered-rows.ts'
import { stepsOf } from '../steps.ts'
import { fakeAsks } from './fake-asks.ts'

interface Limits {
  readonly loads?: Partial<PageLoadLimits>
  readonly pageCacheBytesMax?: number
  /** Shared with others; none if left out. */
  readonly cache?: Cache
  /** Hears what the api hears. */
  readonly positions?: Positions
  /** Takes the lines of the handler. */
  readonly log?: Log
}

/** The API on tables that a spec answers itself: all of it but the socket. */
export function askedApi(answers: Partial<Asks> | AsksFor = {}, limits: Limits = {}) {
  const { loads = {}, pageCacheBytesMax = 1_000_000, cache, positions, log = silentLog } = limits
  const asks: AsksFor = typeof answers === 'function' ? answers : () => fakeAsks(answers)
  const metrics = startMetrics()
  const head = new HeadOfGroups()
  const moved = new Moved(followedFamilies, positions)
  /** Hears an announcement, or that one was there which nobody can read. */
  const heard = (offset: number, announced: Announcement | null) => {
    moved.hear(offset, announced)
    if (announced !== null) head.hear(announced)
  }
  const hear = (
    group: Announcement['group'],
    at: number,
    told: Partial<Pick<Announcement, 'time' | 'moved'>> = {},
  ) => {
    const place = { after: position(0), position: position(at), block: 100 + at, hash: null }
    const rest = { time: 1_700_000_000 + 12 * at, facts: null, moved: {}, ...told }
    heard(moved.now.offset, { group, ...place, ...rest })
  }
  const step = stepsOf(() => head.head, figuresStepSeconds)
  const pages = new Pages({
    moved,
    head: () => head.head,
    step,
    bytesMax: pageCacheBytesMax,
    loads: new PageLoads(loads),
    version: 'spec',
    ...(cache === undefined ? {} : { cache }),
  })
  const shared = sharedOf({ asks, moved, metrics, rowsMax: 1_000, step })
  const largeLoads = new LargeLoads()
  const rates = new RateOrdering({ asks, moved, rateHour: () => head.rateHour })
  const sources = { asks, shared, rates, pages, largeLoads, head: () => head.head, chainId: 31_337 }
  const handler = apiHandler({ sources, log, metrics })
  const counted = () => metrics.registry.metrics()
  return { handler, hear, heard, moved, head, metrics, counted, ask: askerOf(handler) }
}

/** Of the specs. */
export const figuresStepSeconds = 30

type Changes = Partial<Omit<HttpRequest, 'path' | 'query'>>

const askerOf =
  (handler: HttpHandler) =>
  async (target: string, changes: Changes = {}): Promise<HttpResponse> => {
    const cut = target.indexOf('?')
    const path = cut < 0 ? target : target.slice(0, cut)
    const response = await handler({
      method: 'GET',
      path,
      query: cut < 0 ? '' : target.slice(cut + 1),
      headers: {},
      client: '127.0.0.1',
      ...changes,
    })
    // Whatever a spec asks for in the plain way, its answer is as the document tells.
    const isPlain = changes.headers === undefined && changes.method === undefined
    if (response.status === 200 && isPlain && path.startsWith('/api/')) {
      checkDeclared(path, bodyOf(response))
    }
    return response
  }

/** The body as JSON. */
export const bodyOf = (response: HttpResponse): unknown =>
  JSON.parse(response.body.toString('utf8'))
