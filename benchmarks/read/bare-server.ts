import uws, { type HttpRequest } from 'uWebSockets.js'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { recordedResponses } from './recorded-response.ts'

/**
 * What the library alone can do with the same bytes and headers: a response is found by its raw
 * target and written as one block of headers and one body, whatever the request's headers are.
 * Forked with a file of recorded responses; sends its port.
 */
const [file = ''] = process.argv.slice(2)
const recorded = recordedResponses.parse(JSON.parse(readFileSync(file, 'utf8')))

const responses = new Map(
  recorded.map(({ target, status, statusText, headers, body }) => {
    const [[firstName, firstValue] = ['x', ''], ...rest] = headers
    const lines = [firstValue, ...rest.map(([name, value]) => `${name}: ${value}`)]
    return [
      target,
      {
        status: status === 200 ? null : `${status} ${statusText}`,
        firstName,
        lines: lines.join('\r\n'),
        body: status === 304 ? null : Buffer.from(body, 'base64'),
      },
    ] as const
  }),
)

function targetOf(req: HttpRequest): string {
  const query = req.getQuery()
  return query ? `${req.getUrl()}?${query}` : req.getUrl()
}

uws
  .App()
  .any('/*', (res, req) => {
    const response = responses.get(targetOf(req))
    if (response === undefined) {
      res.writeStatus('404 Not Found').end()
      return
    }
    const { status, firstName, lines, body } = response
    if (status !== null) res.writeStatus(status)
    res.writeHeader(firstName, lines)
    if (body === null) res.endWithoutBody()
    else res.end(body)
  })
  .listen(0, (socket) => {
    const port = socket === false ? null : uws.us_socket_local_port(socket)
    process.send?.({ port: z.number().parse(port) })
  })
process.on('disconnect', () => process.exit())
