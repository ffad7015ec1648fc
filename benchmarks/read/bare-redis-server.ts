import uws, { type HttpRequest } from 'uWebSockets.js'
import { readFileSync } from 'node:fs'
import { Redis } from 'ioredis'
import { z } from 'zod'
import { recordedResponses } from './recorded-response.ts'

/**
 * What the libraries alone can do with the same bytes and headers: a body is read from Redis by its
 * raw target, and written with one block of headers. Forked with a file of recorded responses and
 * the URL of a Redis, which it fills; sends its port.
 */
const [file = '', url = ''] = process.argv.slice(2)
const recorded = recordedResponses.parse(JSON.parse(readFileSync(file, 'utf8')))
const redis = new Redis(url)
const keyOf = (target: string) => `bare:${target}`
for (const { target, body } of recorded) await redis.set(keyOf(target), Buffer.from(body, 'base64'))

const headersOf = new Map(
  recorded.map(({ target, headers }) => {
    const [[firstName, firstValue] = ['x', ''], ...rest] = headers
    const lines = [firstValue, ...rest.map(([name, value]) => `${name}: ${value}`)].join('\r\n')
    return [target, { firstName, lines }] as const
  }),
)

function targetOf(req: HttpRequest): string {
  const query = req.getQuery()
  return query ? `${req.getUrl()}?${query}` : req.getUrl()
}

uws
  .App()
  .any('/*', (res, req) => {
    const target = targetOf(req)
    const headers = headersOf.get(target)
    let isGone = false
    res.onAborted(() => {
      isGone = true
    })
    redis.getBuffer(keyOf(target)).then(
      (body) => {
        if (isGone) return
        res.cork(() => {
          if (body === null || headers === undefined) res.writeStatus('404 Not Found').end()
          else res.writeHeader(headers.firstName, headers.lines).end(body)
        })
      },
      () => {
        if (!isGone) res.cork(() => res.writeStatus('503 Service Unavailable').end())
      },
    )
  })
  .listen(0, (socket) => {
    const port = socket === false ? null : uws.us_socket_local_port(socket)
    process.send?.({ port: z.number().parse(port) })
  })
process.on('disconnect', () => process.exit())
