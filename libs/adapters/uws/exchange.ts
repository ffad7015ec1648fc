import type { HttpRequest as UwsRequest, HttpResponse as UwsResponse } from 'uWebSockets.js'
import { STATUS_CODES } from 'node:http'
import type { HttpRequest, HttpResponse } from '../../ports/http.ts'

/** The request as a value; the library's own lives only until its callback returns. */
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

/** Sends a response in one piece. The library counts lengths itself; HEAD tells its own. */
export function send(res: UwsResponse, { status, headers, body }: HttpResponse): void {
  const { 'content-length': length, ...others } = headers
  res.cork(() => {
    res.writeStatus(`${status} ${STATUS_CODES[status] ?? ''}`)
    for (const [name, value] of Object.entries(others)) res.writeHeader(name, value)
    if (length !== undefined) res.endWithoutBody(Number(length))
    else if (bodiless.has(status)) res.endWithoutBody()
    else res.end(body)
  })
}
