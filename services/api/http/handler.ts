import type { HttpHandler, HttpRequest, HttpResponse } from '../../../libs/ports/http.ts'
import type { Head } from '../../../libs/presenters/lookups.ts'
import { queryCharactersMax } from '../../../libs/presenters/parameters.ts'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import { routes } from '../endpoints/routes.ts'
import type { LargeLoads } from '../pages/large-loads.ts'
import { ClientGone, Overloaded } from '../pages/page-loads.ts'
import type { Page, Pages } from '../pages/pages.ts'
import type { RateOrdering } from '../reader/rate-ordering.ts'
import type { RunQuestion } from '../reader/run-question.ts'
import { renderPage } from '../render/render-page.ts'
import type { SharedRows } from '../row-cache/shared-rows.ts'
import { Compressor } from './compressor.ts'
import { docsPage, openApi } from './docs-page.ts'
import {
  acceptsJson,
  headerCharacters,
  headerCharactersMax,
  router,
  segmentsOf,
} from './requests.ts'
import {
  type Content,
  failure,
  negotiated,
  permission,
  redirect,
  requestIdOf,
  responseHeaders,
  tagged,
} from './responses.ts'
import { UnavailableAnswers } from './unavailable-answers.ts'

/** What answers are made from. */
export interface Sources {
  readonly run: RunQuestion
  readonly shared: SharedRows
  readonly largeLoads: LargeLoads
  readonly rates: RateOrdering
  readonly pages: Pages
  /** Null until there is a first block. */
  readonly head: () => Head | null
  readonly chainId: number
}

interface ApiHandlerOptions {
  readonly sources: Sources
  readonly log: Log
  readonly metrics: Metrics
}

const openApiDocument = tagged(Buffer.from(JSON.stringify(openApi)))
const methods = ['GET', 'HEAD', 'OPTIONS']
const routeOf = router(routes)

/** An answer, and the route that labels its metrics. */
interface Answered {
  readonly route: string
  readonly content: Content
  /** The head of the body's confirmations; absent for a body without any. */
  readonly head?: Head | null
}

/** A page that this process has not cached: counted as in flight while it loads. */
interface Loading {
  readonly route: string
  readonly load: () => Promise<Page>
}

interface Responded {
  readonly route: string
  readonly response: HttpResponse
}

/** All of HTTP above the socket: returns a response to every request, malformed ones included. */
export function apiHandler({ sources, log, metrics }: ApiHandlerOptions): HttpHandler {
  metrics.requestsInFlight.set(0)
  const unavailable = new UnavailableAnswers(log, metrics)
  const compressor = new Compressor({ metrics })

  /** An error without a reason for a 503 is a fault of this process. */
  function failed(error: unknown, requestId: string): Content {
    if (unavailable.count(error, requestId)) return failure('unavailable')
    log.error({ event: events.api.failed, requestId, error }, 'answered 500')
    return failure('internal')
  }

  async function answer(request: HttpRequest, requestId: string): Promise<Answered> {
    const found = dispatched(request, sources)
    if ('content' in found) return found
    const { route, load } = found
    metrics.requestsInFlight.inc()
    try {
      return answeredPage(route, await load())
    } catch (error) {
      return { route, content: error instanceof ClientGone ? clientGone : failed(error, requestId) }
    } finally {
      metrics.requestsInFlight.dec()
    }
  }

  /** Everything runs inside the try: an error outside would leave the client without a response. */
  async function respond(request: HttpRequest, requestId: string): Promise<Responded> {
    try {
      const { route, content, head = sources.head() } = await answer(request, requestId)
      const always = responseHeaders(requestId, head)
      const response = await negotiated(content, request, compressor)
      if (request.method !== 'HEAD' && request.hasRoomFor?.(response.body) === false) {
        throw new Overloaded('too many unsent bytes', 'clients are slow to take responses')
      }
      return { route, response: { ...response, headers: { ...always, ...response.headers } } }
    } catch (error) {
      const { status, headers, body } = failed(error, requestId)
      const always = responseHeaders(requestId, null)
      return { route: 'failed', response: { status, headers: { ...always, ...headers }, body } }
    }
  }

  return async (request): Promise<HttpResponse> => {
    const startedAt = performance.now()
    const isTooLarge = headerCharacters(request) > headerCharactersMax
    const requestId = requestIdOf(request)
    const { route, response } = isTooLarge ? tooLarge(requestId) : await respond(request, requestId)
    metrics.requests.inc({ route, status: String(response.status) })
    metrics.requestSeconds.observe({ route }, (performance.now() - startedAt) / 1_000)
    return response
  }
}

/** Without content negotiation, which would read the headers: reading them is what takes long. */
function tooLarge(requestId: string): Responded {
  const { status, headers, body } = failure('headersTooLarge')
  const always = responseHeaders(requestId, null)
  return { route: 'too large', response: { status, headers: { ...always, ...headers }, body } }
}

function dispatched(request: HttpRequest, sources: Sources): Answered | Loading {
  if (request.method === 'OPTIONS') return { route: 'options', content: permission }
  if (request.query.length > queryCharactersMax) {
    return { route: 'too long', content: failure('uriTooLong') }
  }
  const segments = segmentsOf(request.path)
  if (segments[0] === 'api' && segments[1] === 'v2') return ofApi(request, segments, sources)
  const path = `/${segments.join('/')}`
  const page = outsideApi.get(path)
  if (page === undefined) return { route: 'unknown', content: failure('notFound') }
  return { route: path, content: methodNotAllowed(request) ?? page }
}

const outsideApi = new Map<string, Content>([
  ['/', redirect('/docs')],
  ['/docs', docsPage],
])

/** Counted but never sent; proxies use this status for a client that closed its request. */
const clientGone: Content = { status: 499, headers: {}, body: Buffer.alloc(0) }

/** The answer to an unsupported method; null for GET and HEAD. */
function methodNotAllowed({ method }: HttpRequest): Content | null {
  if (methods.includes(method)) return null
  const content = failure('methodNotAllowed')
  return { ...content, headers: { ...content.headers, allow: methods.join(', ') } }
}

function ofApi(
  request: HttpRequest,
  segments: readonly string[],
  sources: Sources,
): Answered | Loading {
  const isDocument = segments.length === 3 && segments[2] === 'openapi.json'
  const match = routeOf(segments)
  if (match === null && !isDocument) return { route: 'unknown', content: failure('unknownAction') }
  const route = match?.route.path ?? '/api/v2/openapi.json'
  const refusal = methodNotAllowed(request)
  if (refusal !== null) return { route, content: refusal }
  if (!acceptsJson(request.headers.accept)) return { route, content: failure('notAcceptable') }
  if (match === null) return { route, content: openApiDocument }
  const parsed = match.route.parse(match.subject, request.query)
  if ('faults' in parsed) {
    return { route, content: failure('invalidParameters', parsed.faults) }
  }
  const { pages } = sources
  const cached = pages.cached(parsed.key)
  if (cached !== null) return answeredPage(route, cached)
  return {
    route,
    load: () =>
      pages.get(parsed.key, (options) => renderPage(parsed, sources, options), request.onGone),
  }
}

const answeredPage = (route: string, { content, head }: Page): Answered => ({
  route,
  content: content ?? failure('notFound'),
  head,
})
