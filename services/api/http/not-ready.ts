import type { HttpHandler } from '../../../libs/ports/http.ts'
import { requestIdOf, responseHeaders } from './headers.ts'
import { failure, negotiated, permission } from './reply.ts'

/** Answers 503 to every API request while servers, topics or tables are not available yet. */
export const notReady: HttpHandler = async (request) => {
  const content = request.method === 'OPTIONS' ? permission : failure('unavailable')
  const { headers, ...response } = await negotiated(content, request, null)
  return { ...response, headers: { ...responseHeaders(requestIdOf(request), null), ...headers } }
}
