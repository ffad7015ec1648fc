import { once } from 'node:events'
import { createServer as createPlainServer } from 'node:net'
import { createServer, type Server } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { connectTo } from './connect-to.ts'
import { httpWeb } from './http-web.ts'
import { certificate, certificateKey } from './testing/certificate.ts'
import { allOf, type LocalServer, localServer, response } from './testing/local-servers.ts'

const signal = new AbortController().signal
const named: string[] = []

let secure: Server
let plain: LocalServer
let port: number

beforeAll(async () => {
  plain = await localServer((socket) => socket.end(response('{}')))
  const options = { cert: certificate, key: certificateKey, ALPNProtocols: ['h2', 'http/1.1'] }
  secure = createServer(options, (socket) => {
    named.push(`${socket.servername} ${socket.alpnProtocol}`)
    socket.on('error', () => {})
    socket.once('data', () => socket.end(response('{}')))
  })
  secure.on('tlsClientError', () => {})
  await once(secure.listen(0, '127.0.0.1'), 'listening')
  const bound = secure.address()
  port = bound !== null && typeof bound !== 'string' ? bound.port : 0
})
afterAll(async () => {
  secure.close()
  await plain.close()
})

const fetched = (origin: string, authority?: string) =>
  httpWeb({ trusted: allOf(origin), ...(authority !== undefined && { authority }) }).fetch(
    `${origin}/document`,
    signal,
  )

describe('a connection', () => {
  it('goes to the given address, and its name is not looked up', async () => {
    const url = new URL(`http://nowhere.invalid:${plain.port}/`)
    const to = { url, connectTimeoutMs: 10_000, authority: null }
    const socket = await connectTo({ ...to, addresses: ['127.0.0.1'] }, signal)
    expect([socket.remoteAddress, socket.remotePort]).toEqual(['127.0.0.1', plain.port])
    socket.destroy()
  })

  it('goes to the next address if one refuses it', async () => {
    const url = new URL(`http://nowhere.invalid:${plain.port}/`)
    const to = { url, connectTimeoutMs: 10_000, authority: null }
    // The server listens at the second alone.
    const socket = await connectTo({ ...to, addresses: ['127.0.0.2', '127.0.0.1'] }, signal)
    expect(socket.remoteAddress).toBe('127.0.0.1')
    socket.destroy()
  })

  it('proves by a certificate whom it reached', async () => {
    named.length = 0
    const result = await fetched(`https://localhost:${port}`, certificate)
    expect(result).toMatchObject({ kind: 'fetched', url: `https://localhost:${port}/document` })
    expect(named).toEqual(['localhost http/1.1'])
  })

  it('ends at a certificate that nobody vouches for, whatever the environment says', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    try {
      expect(await fetched(`https://localhost:${port}`)).toMatchObject({
        reason: 'tls',
        sentence: expect.stringMatching(/^localhost:\d+: .*self.signed certificate/),
      })
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it('ends at a certificate of another host', async () => {
    expect(await fetched(`https://127.0.0.1:${port}`, certificate)).toMatchObject({
      reason: 'tls',
      sentence: expect.stringContaining('does not match'),
    })
  })

  it('ends at a server without TLS', async () => {
    const server = createPlainServer((socket) => {
      socket.on('error', () => {})
      socket.end(response('{}'))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const bound = server.address()
    const origin = `https://127.0.0.1:${bound !== null && typeof bound !== 'string' ? bound.port : 0}`
    expect(await fetched(origin)).toMatchObject({ reason: 'tls' })
    server.close()
  })

  it('is given up if it is not there, with TLS, in its time', async () => {
    // It reads, and waits for the end of a head.
    const silent = await localServer(() => {})
    const origin = `https://127.0.0.1:${silent.port}`
    const web = httpWeb({ trusted: allOf(origin), limits: { connectTimeoutMs: 50 } })
    expect(await web.fetch(origin, signal)).toMatchObject({
      reason: 'timed-out',
      sentence: `127.0.0.1:${silent.port}: no connection within 50 ms`,
    })
    await silent.closed()
    await silent.close()
  })

  it('is given up when the whole time has passed, or the caller has stopped', async () => {
    const silent = await localServer(() => {})
    const origin = `https://127.0.0.1:${silent.port}`
    const web = httpWeb({ trusted: allOf(origin), limits: { timeoutMs: 50 } })
    expect(await web.fetch(origin, signal)).toMatchObject({
      reason: 'timed-out',
      sentence: `127.0.0.1:${silent.port}: no whole document within 50 ms`,
    })
    await silent.closed()
    const caller = new AbortController()
    const left = expect(web.fetch(origin, caller.signal)).rejects.toThrow('enough')
    caller.abort(new Error('enough'))
    await left
    await silent.closed()
    await silent.close()
  })
})
