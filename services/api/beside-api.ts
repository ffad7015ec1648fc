import { Overloaded } from '../../libs/bounds/overloaded.ts'
import type { HttpRequest, HttpResponse } from '../../libs/ports/http.ts'
import type { Head } from '../../libs/presenters/lookups.ts'
import type { Documents } from './docs/documents.ts'
import type { FoundPage } from './pages/pages.ts'
import type { ClientAddresses } from './request/limits/client-address.ts'
import {
  type Content,
  failure,
  methods,
  type ResponseContext,
  redirect,
} from './response/responses.ts'
import { StreamResponse } from './response/stream-response.ts'
import type { Status } from './status/status.ts'
import { statusStreamPath } from './status/status-page.ts'

/** An answer that has no end. */
export interface Streaming {
  readonly route: string
  readonly begin: (context: ResponseContext) => HttpResponse
}

interface BesideApi {
  readonly sources: { readonly clients: ClientAddresses; readonly head: () => Head | null }
  readonly documents: Documents
  /** Null: there is no status page. */
  readonly status: Status | null
}

/** A page that this process has not cached: counted as in flight while it loads. */
export interface Loading {
  readonly route: string
  /** The error that the load would reject with at once, if that is certain. */
  readonly refusal: () => Error | null
  readonly load: () => Promise<FoundPage>
}

type ContentOfRoute = { readonly route: string; readonly content: Content }

/** What is served beside `/api/v2`, and 404. @param path of decoded segments */
export function besideApi(
  request: HttpRequest,
  path: string,
  { sources, documents, status }: BesideApi,
): ContentOfRoute | Loading | Streaming {
  if (status !== null && path === statusStreamPath) {
    return statusStream(request, status, sources)
  }
  const { route, content } = documents.docs(path) ?? {
    route: path,
    content: status?.files(path, sources.head()) ?? (path === '/' ? toDocs : undefined),
  }
  if (content === undefined) return { route: 'unknown', content: failure('notFound') }
  const refusal = methodNotAllowed(request)
  if (refusal !== null) return { route, content: refusal }
  if (!(content instanceof Promise)) return { route, content }
  const load = async () => ({ content: await content, head: sources.head(), isCached: false })
  return { route, refusal: () => null, load }
}

function statusStream(
  request: HttpRequest,
  { streams }: Status,
  { clients, head }: BesideApi['sources'],
): ContentOfRoute | Loading | Streaming {
  const route = statusStreamPath
  const notAllowed = methodNotAllowed(request)
  if (notAllowed !== null) return { route, content: notAllowed }
  const client = clients.of(request)
  const refusal = streams.refusal(client)
  if (refusal === 'all') return refusedAs(route, tooManyStreams())
  if (refusal === 'client') return { route, content: failure('tooManyRequests') }
  const onStream = streams.begin(client)
  return { route, begin: (context) => new StreamResponse(onStream, context, head()) }
}

const tooManyStreams = () =>
  new Overloaded('too many status streams', 'no place left for another stream of the status page')

/** Counted and logged as any refusal is. */
const refusedAs = (route: string, error: Overloaded): Loading => ({
  route,
  refusal: () => error,
  load: () => Promise.reject(error),
})

/** Without a status page. */
const toDocs = redirect('/docs')

/** The answer to an unsupported method; null for GET and HEAD. */
export function methodNotAllowed({ method }: HttpRequest): Content | null {
  if (methods.includes(method)) return null
  const content = failure('methodNotAllowed')
  return { ...content, headers: { ...content.headers, allow: methods.join(', ') } }
}
