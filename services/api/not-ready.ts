import type { HttpHandler } from '../../libs/ports/http.ts'
import { alwaysHeaders, requestIdOf } from './headers.ts'
import { failure, fitted, permission } from './reply.ts'

/** Answers 503 to all of the API while its servers, topics or tables are not there yet. */
export const notReady: HttpHandler = async (request) => {
  const content = request.method === 'OPTIONS' ? permission : failure('unavailable')
  const { headers, ...response } = await fitted(content, request, null)
  return { ...response, headers: { ...alwaysHeaders(requestIdOf(request), null), ...headers } }
}
