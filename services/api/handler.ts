import type { HttpHandler, HttpRequest, HttpResponse } from '../../libs/ports/http.ts'
import type { Head } from '../../libs/presenters/known.ts'
import { queryCharactersMax } from '../../libs/presenters/parameters/query.ts'
import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import type { AsksFor } from './asks.ts'
import { Compressor } from './compressor.ts'
import { docsPage } from './docs-page.ts'
import { drawn } from './drawn.ts'
import { alwaysHeaders, requestIdOf } from './headers.ts'
import type { LargeLoads } from './large-loads.ts'
import type { Shared } from './look-up.ts'
import { openApiBody } from './open-api-body.ts'
import { ClientGone, Overloaded } from './overloaded.ts'
import type { Page, Pages } from './pages.ts'
import type { RateOrdering } from './rate-ordering.ts'
import { type Content, failure, fitted, permission, redirect, tagged } from './reply.ts'
import {
  acceptsJson,
  headerCharacters,
  headerCharactersMax,
  router,
  segmentsOf,
} from './requests.ts'
import { routes } from './routes.ts'
import { UnavailableAnswers } from './unavailable-answers.ts'

/** What the answers are made from. */
export interface Sources {
  readonly asks: AsksFor
  readonly shared: Shared
  readonly largeLoads: LargeLoads
  readonly rates: RateOrdering
  readonly pages: Pages
  /** Null until there is a first block. */
  readonly head: () => Head | null
  readonly chainId: number
}

interface Form {
  readonly sources: Sources
  readonly log: Log
  readonly metrics: Metrics
}

const openApiDocument = tagged(openApiBody)
const methods = ['GET', 'HEAD', 'OPTIONS']
const routeOf = router(routes)

/** An answer, and the route that a metric counts it under. */
interface Counted {
  readonly route: string
  readonly content: Content
  /** The head that the body counts with; left out where it counts with none. */
  readonly head?: Head | null
}

/** A page that is not known here: what has to wait is counted. */
interface Loading {
  readonly route: string
  readonly load: () => Promise<Page>
}

interface Whole {
  readonly route: string
  readonly response: HttpResponse
}

/** All of HTTP above the socket: a request in, a response out, whatever was sent. */
export function apiHandler({ sources, log, metrics }: Form): HttpHandler {
  metrics.requestsInFlight.set(0)
  const unavailable = new UnavailableAnswers(log, metrics)
  const compressor = new Compressor({ metrics })

  /** What is no reason for a 503 is a fault of ours. */
  function failed(error: unknown, requestId: string): Content {
    if (unavailable.count(error, requestId)) return failure('unavailable')
    log.error({ event: events.api.failed, requestId, error }, 'answered 500')
    return failure('internal')
  }

  async function counted(request: HttpRequest, requestId: string): Promise<Counted> {
    const found = answered(request, sources)
    if ('content' in found) return found
    const { route, load } = found
    metrics.requestsInFlight.inc()
    try {
      return countedPage(route, await load())
    } catch (error) {
      return { route, content: error instanceof ClientGone ? gone : failed(error, requestId) }
    } finally {
      metrics.requestsInFlight.dec()
    }
  }

  /** Nothing stands outside of the try: what throws there leaves the client without an answer. */
  async function whole(request: HttpRequest, requestId: string): Promise<Whole> {
    try {
      const { route, content, head = sources.head() } = await counted(request, requestId)
      const always = alwaysHeaders(requestId, head)
      const response = await fitted(content, request, compressor)
      if (request.method !== 'HEAD' && request.hasRoomFor?.(response.body) === false) {
        throw new Overloaded('too many unsent bytes', 'clients are slow to take responses')
      }
      return { route, response: { ...response, headers: { ...always, ...response.headers } } }
    } catch (error) {
      const { status, headers, body } = failed(error, requestId)
      const always = alwaysHeaders(requestId, null)
      return { route: 'failed', response: { status, headers: { ...always, ...headers }, body } }
    }
  }

  return async (request): Promise<HttpResponse> => {
    const startedAt = performance.now()
    const isTooLarge = headerCharacters(request) > headerCharactersMax
    const requestId = requestIdOf(request)
    const { route, response } = isTooLarge ? tooLarge(requestId) : await whole(request, requestId)
    metrics.requests.inc({ route, status: String(response.status) })
    metrics.requestSeconds.observe({ route }, (performance.now() - startedAt) / 1_000)
    return response
  }
}

/** Not fitted to the request: that would read the headers, which is what takes long. */
function tooLarge(requestId: string): Whole {
  const { status, headers, body } = failure('headersTooLarge')
  const always = alwaysHeaders(requestId, null)
  return { route: 'too large', response: { status, headers: { ...always, ...headers }, body } }
}

function answered(request: HttpRequest, sources: Sources): Counted | Loading {
  if (request.method === 'OPTIONS') return { route: 'options', content: permission }
  if (request.query.length > queryCharactersMax) {
    return { route: 'too long', content: failure('uriTooLong') }
  }
  const segments = segmentsOf(request.path)
  if (segments[0] === 'api' && segments[1] === 'v2') return api(request, segments, sources)
  const path = `/${segments.join('/')}`
  const page = besideApi.get(path)
  if (page === undefined) return { route: 'unknown', content: failure('notFound') }
  return { route: path, content: refusedMethod(request) ?? page }
}

const besideApi = new Map<string, Content>([
  ['/', redirect('/docs')],
  ['/docs', docsPage],
])

/** Counted and never sent, under the status by which proxies know it. */
const gone: Content = { status: 499, headers: {}, body: Buffer.alloc(0) }

/** Answers a method that nothing here has; null for GET and HEAD. */
function refusedMethod({ method }: HttpRequest): Content | null {
  if (methods.includes(method)) return null
  const refusal = failure('methodNotAllowed')
  return { ...refusal, headers: { ...refusal.headers, allow: methods.join(', ') } }
}

function api(
  request: HttpRequest,
  segments: readonly string[],
  sources: Sources,
): Counted | Loading {
  const isDocument = segments.length === 3 && segments[2] === 'openapi.json'
  const match = routeOf(segments)
  if (match === null && !isDocument) return { route: 'unknown', content: failure('unknownAction') }
  const route = match?.route.path ?? '/api/v2/openapi.json'
  const refusal = refusedMethod(request)
  if (refusal !== null) return { route, content: refusal }
  if (!acceptsJson(request.headers.accept)) return { route, content: failure('notAcceptable') }
  if (match === null) return { route, content: openApiDocument }
  const question = match.route.read(match.subject, request.query)
  if ('faults' in question) {
    return { route, content: failure('invalidParameters', question.faults) }
  }
  const { pages } = sources
  const held = pages.held(question.name)
  if (held !== null) return countedPage(route, held)
  return {
    route,
    load: () => pages.get(question.name, (how) => drawn(question, sources, how), request.onGone),
  }
}

const countedPage = (route: string, { content, head }: Page): Counted => ({
  route,
  content: content ?? failure('notFound'),
  head,
})
