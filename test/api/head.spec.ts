import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { uwsServer } from '../../libs/adapters/uws/uws-server.ts'
import type { HttpHandler, HttpServer } from '../../libs/ports/http.ts'
import { aBalance, anAddress } from '../../libs/presenters/testing/rows.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { viewer } from '../../services/api/docs/viewer.ts'
import { notReady } from '../../services/api/response/responses.ts'
import { testApi } from '../../services/api/testing/test-api.ts'
import { Health, healthHandler } from '../../services/cli/serve/health.ts'

const tokens = `/api/v2/addresses/${anAddress(0xa1)}/tokens`
const rows = Array.from({ length: 50 }, (_, at) => aBalance({ ordinal: at + 1 }))
const ofApi = [
  ...[tokens, '/api/v2/openapi.json', '/', '/nowhere', '/api/v2/tokens/0x12'],
  ...['/docs', '/api/docs/openapi.json', ...viewer().files.keys()],
]
const ofHealth = ['/health/live', '/health/ready', '/metrics', '/nowhere']

const begun = new Health()
begun.started()

const handlers: readonly (readonly [string, HttpHandler, readonly string[]])[] = [
  ['the API', testApi({ balancesOfAddress: async () => rows }).handler, ofApi],
  ['the API before it is ready', notReady, ofApi],
  [
    'an API at fault',
    testApi({ balancesOfAddress: () => Promise.reject(new Error('a fault')) }).handler,
    [tokens],
  ],
  ['health of a service', healthHandler(begun, startMetrics()), ofHealth],
  ['health of a service that waits', healthHandler(new Health(), startMetrics()), ofHealth],
]

const lengthIn = (head: string) => Number(/^content-length: (\d+)$/im.exec(head)?.[1])

describe.each(handlers)('%s', (name, handler, paths) => {
  let server: HttpServer
  beforeAll(async () => {
    // By chance a response without a body closes its connection, and there would be no next one.
    server = await uwsServer({ port: 0, handler, log: silentLog, bodilessMean: 1e12 })
  })
  afterAll(() => server.close())

  it.each(paths)('answers HEAD of %s as GET without the body', async (path) => {
    for (const headers of ['', 'accept-encoding: gzip\r\n']) {
      const ask = (method: string, last: string) =>
        `${method} ${path} HTTP/1.1\r\nhost: x\r\n${last}${headers}\r\n`
      const [head = '', get = ''] = await inTurn(server.port, [
        ask('HEAD', ''),
        ask('GET', 'connection: close\r\n'),
      ])
      const end = get.indexOf('\r\n\r\n') + 4
      expect(head).toMatch(/\r\n\r\n$/)
      expect(get.split('\r\n')[0]).toBe(head.split('\r\n')[0])
      expect(get.length - end).toBe(lengthIn(get))
      // The exposition of metrics describes the process, which changes between the two.
      if (path !== '/metrics') expect(lengthIn(head)).toBe(lengthIn(get))
      expect(/^access-control-allow-origin: \*\r$/im.test(head)).toBe(!name.startsWith('health'))
      expect(/^x-request-id: ./im.test(head)).toBe(!name.startsWith('health'))
    }
  })

  it('closes the connection after HEAD where it is asked to', async () => {
    const head = `HEAD ${paths[0]} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`
    expect(await inTurn(server.port, [head])).toHaveLength(1)
  })
})

/**
 * Sends requests over one connection, each once the header section of the response before it has
 * arrived. @returns what was sent for each of them, until the server closes the connection
 */
function inTurn(port: number, requests: readonly string[]): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const answers: string[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(requests[0] ?? ''))
    socket.on('data', (chunk) => {
      const sent = (answers.pop() ?? '') + chunk.toString('latin1')
      answers.push(sent)
      if (!sent.includes('\r\n\r\n') || answers.length === requests.length) return
      answers.push('')
      socket.write(requests[answers.length - 1] ?? '')
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answers))
  })
}
