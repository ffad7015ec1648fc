// The global one is a getter.
import { performance } from 'node:perf_hooks'
import { Overloaded } from '../../libs/bounds/overloaded.ts'
import {
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  headerCharacters,
  headerOf,
} from '../../libs/ports/http.ts'
import type { Head } from '../../libs/presenters/lookups.ts'
import { queryCharactersMax } from '../../libs/presenters/parameters.ts'
import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import {
  besideApi,
  type Loading,
  methodNotAllowed,
  type Refused,
  type Streaming,
} from './beside-api.ts'
import { type Documents, documentsOf } from './docs/documents.ts'
import type { PageCall, Route } from './endpoints/pipeline/route.ts'
import { routes } from './endpoints/routes.ts'
import type { FindExamples } from './examples/find-examples.ts'
import { KnownTargets, targetOf } from './pages/known-targets.ts'
import { ClientGone } from './pages/page-loads.ts'
import type { FoundPage, Pages } from './pages/pages.ts'
import { renderPage } from './render-page.ts'
import type { ClientAddresses } from './request/limits/client-address.ts'
import type { RequestLimits } from './request/limits/request-limits.ts'
import { RequestCounts } from './request/request-counts.ts'
import { type Match, router, segmentsOf } from './request/router.ts'
import { UnavailableAnswers } from './request/unavailable-answers.ts'
import { acceptsJson } from './response/accepted.ts'
import { Compressor } from './response/compressor.ts'
import type { CheckedRequest } from './response/limit-headers.ts'
import {
  asIs,
  type Content,
  failure,
  type Negotiated,
  negotiated,
  permission,
  Response,
  requestIdOf,
} from './response/responses.ts'
import type { LargeLoads } from './rows/large-loads.ts'
import type { RateOrdering } from './rows/rate-ordering.ts'
import type { RunQuestion } from './rows/run-question.ts'
import type { SharedRows } from './rows/shared-rows.ts'
import type { Status } from './status/status.ts'

/** What answers are made from. */
export interface Sources {
  readonly run: RunQuestion
  readonly shared: SharedRows
  readonly largeLoads: LargeLoads
  readonly rates: RateOrdering
  readonly pages: Pages
  /** Whose page loads are queued in turn. */
  readonly clients: ClientAddresses
  /** Null until there is a first block. */
  readonly head: () => Head | null
  readonly chainId: number
  readonly publishedTypes: boolean
}

interface ApiHandlerOptions {
  readonly sources: Sources
  readonly log: Log
  readonly metrics: Metrics
  /** Null: no client is limited. */
  readonly limits?: RequestLimits | null
  /** Null: there is no status page. */
  readonly status?: Status | null
  /** Finds pages of what is indexed now, by asking this handler; none by default. */
  readonly findExamples?: FindExamples
}

/** Bound of all headers together; a larger request is rejected before any of them is read. */
const headerCharactersMax = 16 * 1024

const routeOf = router(routes)
const paths = routes.map(({ path }) => path)

/** An answer, and the route that labels its metrics. */
interface Answered {
  readonly route: string
  readonly content: Content
  /** The head of the body's confirmations; absent for a body without any. */
  readonly head?: Head | null
}

interface Exchange {
  readonly request: HttpRequest
  readonly requestId: string
  readonly startedAt: number
  /** Null without limits, and for OPTIONS, which browsers send by themselves. */
  checked: CheckedRequest | null
}

/**
 * All of HTTP above the socket: returns a response to every request, malformed ones included. What
 * this process has in memory is returned at once; a promise only for pages that have to be loaded
 * and for bodies that have to be compressed.
 */
export function apiHandler(options: ApiHandlerOptions): HttpHandler {
  const handler: HttpHandler = handlerOf(
    options,
    contextOf(options, (request) => handler(request)),
  )
  const { status, findExamples } = options
  if (findExamples !== undefined) status?.findExamples(() => findExamples(handler))
  return handler
}

function handlerOf(options: ApiHandlerOptions, context: Context): HttpHandler {
  const { sources, log, metrics, limits = null } = options
  metrics.requestsInFlight.set(0)
  const failed = contentOfErrors(log, new UnavailableAnswers(log, metrics))
  const compressor = new Compressor({ metrics })
  const counts = new RequestCounts(metrics, paths)
  const loaded = loader(metrics, failed)

  const counted = ({ startedAt }: Exchange, route: string, response: HttpResponse) =>
    counts.add(route, response, startedAt)

  const refused = (exchange: Exchange, route: string, content: Content) =>
    counted(exchange, route, new Response(asIs(content), exchange, null))

  const failedResponse = (exchange: Exchange, error: unknown) =>
    refused(exchange, 'failed', failed(error, exchange.requestId))

  function complete(exchange: Exchange, { route, head }: Answered, form: Negotiated): HttpResponse {
    const { request } = exchange
    if (request.method !== 'HEAD' && request.hasRoomFor?.(form.body, sources.clients) === false) {
      throw new Overloaded('too many unsent bytes', 'clients are slow to take responses')
    }
    const shownHead = head === undefined ? sources.head() : head
    return counted(exchange, route, new Response(form, exchange, shownHead))
  }

  function completeNow(exchange: Exchange, found: Answered) {
    const form = negotiated(found.content, exchange.request, compressor)
    return form instanceof Promise
      ? completeCompressed(exchange, found, form)
      : complete(exchange, found, form)
  }

  async function completeCompressed(
    exchange: Exchange,
    found: Answered,
    compressing: Promise<Negotiated>,
  ) {
    try {
      return complete(exchange, found, await compressing)
    } catch (error) {
      return failedResponse(exchange, error)
    }
  }

  async function completeLater(exchange: Exchange, found: Loading) {
    try {
      const answered = await loaded(found, exchange.requestId)
      const form = await negotiated(answered.content, exchange.request, compressor)
      return complete(exchange, answered, form)
    } catch (error) {
      return failedResponse(exchange, error)
    }
  }

  function answered(exchange: Exchange): HttpResponse | Promise<HttpResponse> {
    const { request, checked } = exchange
    if (checked?.isAllowed === false) {
      return counted(exchange, 'over limit', new Response(tooManyRequests, exchange, null))
    }
    const found = knownPage(request, context) ?? dispatched(request, context)
    if ('begin' in found) return counted(exchange, found.route, found.begin(exchange))
    if ('content' in found) return completeNow(exchange, found)
    // Without promises: a greedy client is refused thousands of times a second.
    const refusal = 'refused' in found ? found.refused : found.refusal()
    if (refusal === null && 'load' in found) return completeLater(exchange, found)
    const content = failed(refusal, exchange.requestId)
    return completeNow(exchange, { route: found.route, content })
  }

  return checkedFirst(limits, { answered, refused, failedResponse })
}

/** Loads a page, or says why there is none. */
function loader(metrics: ApiHandlerOptions['metrics'], failed: ContentOfError) {
  return async ({ route, load }: Loading, requestId: string): Promise<Answered> => {
    metrics.requestsInFlight.inc()
    try {
      return answeredPage(route, await load())
    } catch (error) {
      return { route, content: error instanceof ClientGone ? clientGone : failed(error, requestId) }
    } finally {
      metrics.requestsInFlight.dec()
    }
  }
}

type ContentOfError = ReturnType<typeof contentOfErrors>

function contentOfErrors(log: Log, unavailable: UnavailableAnswers) {
  return (error: unknown, requestId: string): Content => {
    if (unavailable.count(error, requestId)) return unavailableNow
    // An error without a reason for a 503 is a fault of this process.
    log.error({ event: events.api.failed, requestId, error }, 'answered 500')
    return internal
  }
}

interface Answering {
  readonly answered: (exchange: Exchange) => HttpResponse | Promise<HttpResponse>
  readonly refused: (exchange: Exchange, route: string, content: Content) => HttpResponse
  readonly failedResponse: (exchange: Exchange, error: unknown) => HttpResponse
}

const isUnlimited = ({ method, isOwn }: HttpRequest) => method === 'OPTIONS' || isOwn === true

/** Checks size and limit before anything else looks at a request: no promise in the usual case. */
function checkedFirst(limits: RequestLimits | null, by: Answering): HttpHandler {
  async function answeredLater(exchange: Exchange, checking: Promise<CheckedRequest>) {
    try {
      exchange.checked = await checking
      return await by.answered(exchange)
    } catch (error) {
      return by.failedResponse(exchange, error)
    }
  }
  return (request) => {
    const startedAt = performance.now()
    const requestId = requestIdOf(request)
    const exchange: Exchange = { request, requestId, startedAt, checked: null }
    // An error outside would leave the client without a response.
    try {
      if (headerCharacters(request) > headerCharactersMax) {
        // Without content negotiation, which would read the headers: that is what takes long.
        return by.refused(exchange, 'too large', failure('headersTooLarge'))
      }
      const checked = isUnlimited(request) ? null : (limits?.check(request) ?? null)
      if (checked instanceof Promise) return answeredLater(exchange, checked)
      exchange.checked = checked
      return by.answered(exchange)
    } catch (error) {
      return by.failedResponse(exchange, error)
    }
  }
}

/** What parsing a target gives, and the cache key of its page. */
type KnownTarget = Match & { readonly key: string }

interface Context {
  readonly sources: Sources
  readonly known: KnownTargets<KnownTarget>
  readonly documents: Documents
  readonly status: Status | null
}

function contextOf(options: ApiHandlerOptions, handler: HttpHandler): Context {
  const { sources, metrics, log, status = null, findExamples = async () => [] } = options
  const documents = documentsOf(sources, { log, findExamples: () => findExamples(handler) })
  return { sources, known: new KnownTargets({ metrics }), documents, status }
}

/** The page of a target that was parsed before. */
function knownPage(request: HttpRequest, { sources, known }: Context): Answered | Loading | null {
  if (request.method !== 'GET' && request.method !== 'HEAD') return null
  // The key, which is no part of a known target, may be long.
  if (request.query.length > queryCharactersMax) return null
  const target = known.find(targetOf(request))
  if (target === undefined || !acceptsJson(headerOf(request, 'accept'))) return null
  const { route, subject, key } = target
  const page = sources.pages.cached(key)
  if (page !== null) return answeredPage(route.path, page)
  const { query } = request
  return loading(request, sources, {
    route,
    key,
    // Only if no cache has it.
    parsed() {
      const parsed = route.parse(subject, query)
      if ('faults' in parsed) throw new Error(`a known target has faults: ${key}`)
      return parsed
    },
  })
}

interface Wanted {
  readonly route: Route
  readonly key: string
  readonly parsed: () => PageCall
}

function loading(request: HttpRequest, sources: Sources, { route, key, parsed }: Wanted): Loading {
  const client = () => sources.clients.of(request)
  const by = { onGone: request.onGone, client }
  const render: Parameters<Pages['get']>[1] = (options) =>
    renderPage(parsed(), sources, { ...options, client })
  return {
    route: route.path,
    refusal: () => sources.pages.refusal(key, client),
    load: () => sources.pages.get(key, render, by),
  }
}

function dispatched(
  request: HttpRequest,
  context: Context,
): Answered | Loading | Refused | Streaming {
  if (request.method === 'OPTIONS') return { route: 'options', content: permission }
  if (request.query.length > queryCharactersMax) {
    return { route: 'too long', content: failure('uriTooLong') }
  }
  const segments = segmentsOf(request.path)
  if (segments[0] === 'api' && segments[1] === 'v2') {
    return ofApi(request, segments, context)
  }
  return besideApi(request, `/${segments.join('/')}`, context)
}

/** Counted but never sent; proxies use this status for a client that closed its request. */
const clientGone: Content = { status: 499, headers: {}, body: Buffer.alloc(0) }

function ofApi(
  request: HttpRequest,
  segments: readonly string[],
  { sources, known, documents }: Context,
): Answered | Loading {
  const isDocument = segments.length === 3 && segments[2] === 'openapi.json'
  const match = routeOf(segments)
  if (match === null && !isDocument) return { route: 'unknown', content: failure('unknownAction') }
  const route = match?.route.path ?? '/api/v2/openapi.json'
  const refusal = methodNotAllowed(request)
  if (refusal !== null) return { route, content: refusal }
  if (!acceptsJson(headerOf(request, 'accept'))) return { route, content: failure('notAcceptable') }
  if (match === null) return { route, content: documents.openApi }
  const parsed = match.route.parse(match.subject, request.query, sources.head()?.block)
  if ('faults' in parsed) {
    return { route, content: failure('invalidParameters', parsed.faults) }
  }
  const { key, isAboveHead } = parsed
  const remember = () => {
    if (isAboveHead) return
    known.add(targetOf(request), { route: match.route, subject: match.subject, key })
  }
  const cached = sources.pages.cached(key)
  if (cached !== null) {
    remember()
    return answeredPage(route, cached)
  }
  const found = loading(request, sources, { route: match.route, key, parsed: () => parsed })
  return {
    ...found,
    async load() {
      const page = await found.load()
      if (page.isCached) remember()
      return page
    },
  }
}

const answeredPage = (route: string, { content, head }: FoundPage): Answered => ({
  route,
  content: content ?? notFound,
  head,
})

const notFound = failure('notFound')
const unavailableNow = failure('unavailable')
const internal = failure('internal')
const tooManyRequests = asIs(failure('tooManyRequests'))
