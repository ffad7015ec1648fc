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

/** An answer that cannot be given now: counted and logged as the 503 that it becomes. */
export interface Refused {
  readonly route: string
  readonly refused: Overloaded
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
): ContentOfRoute | Loading | Refused | Streaming {
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
): ContentOfRoute | Refused | Streaming {
  const route = statusStreamPath
  const notAllowed = methodNotAllowed(request)
  if (notAllowed !== null) return { route, content: notAllowed }
  const client = clients.of(request)
  const refusal = streams.refusal(client)
  if (refusal === 'all') return { route, refused: tooManyStreams() }
  if (refusal === 'client') return { route, content: failure('tooManyRequests') }
  const onStream = streams.begin(client)
  return { route, begin: (context) => new StreamResponse(onStream, context, head()) }
}

const tooManyStreams = () =>
  new Overloaded('too many status streams', 'no place left for another stream of the status page')

/** Without a status page. */
const toDocs = redirect('/docs')

/** The answer to an unsupported method; null for GET and HEAD. */
export function methodNotAllowed({ method }: HttpRequest): Content | null {
  if (methods.includes(method)) return null
  const content = failure('methodNotAllowed')
  return { ...content, headers: { ...content.headers, allow: methods.join(', ') } }
}
