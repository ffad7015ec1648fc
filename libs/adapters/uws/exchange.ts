import type { HttpRequest as UwsRequest, HttpResponse as UwsResponse } from 'uWebSockets.js'
import { STATUS_CODES } from 'node:http'
import type { HttpRequest, HttpResponse } from '../../ports/http.ts'
import { smallBytesMax, type UnsentBodies } from './unsent-bodies.ts'

/** The request as a value; the library's object is valid only until its callback returns. */
export function requestOf(res: UwsResponse, req: UwsRequest): HttpRequest {
  const headers: Record<string, string> = Object.create(null)
  req.forEach((name, value) => {
    headers[name] = value
  })
  return {
    method: req.getCaseSensitiveMethod(),
    path: req.getUrl(),
    query: req.getQuery() ?? '',
    headers,
    client: Buffer.from(res.getRemoteAddressAsText()).toString('latin1'),
  }
}

const bodiless = new Set([204, 304])

/** A response to send. */
interface Sent {
  readonly method: string
  readonly response: HttpResponse
  readonly unsent: UnsentBodies
  /** Sends `connection: close`; closes the connection after a small body. */
  readonly isLast: boolean
}

/**
 * Sends a response; the library writes its length. HEAD gets the same headers without the body,
 * whatever the handler returned: clients would read a body as the next response.
 */
export function send(res: UwsResponse, { method, response, unsent, isLast }: Sent): void {
  const { status, headers, body } = response
  res.cork(() => {
    res.writeStatus(`${status} ${STATUS_CODES[status] ?? ''}`)
    for (const [name, value] of Object.entries(headers)) res.writeHeader(name, value)
    const isHead = method === 'HEAD' && !bodiless.has(status)
    // Written as a header: given a length, `endWithoutBody` waits for these bytes, and the next
    // request closes the connection.
    if (isHead) res.writeHeader('content-length', String(body.length))
    if (!isHead && !bodiless.has(status) && body.length <= smallBytesMax) {
      res.end(body, isLast)
      return
    }
    // Written as a header: as an argument of `endWithoutBody` it adds a length of 2^63.
    if (isLast) res.writeHeader('connection', 'close')
    if (isHead || bodiless.has(status)) res.endWithoutBody()
    else unsent.send(res, body)
  })
}
