import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { rpcSource } from '../../libs/adapters/rpc/rpc-source.ts'
import { rpcLimits } from '../../libs/adapters/rpc/transport/rpc-transport.ts'
import { wsTransport } from '../../libs/adapters/rpc/transport/ws-transport.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { until } from '../support/until.ts'

const limits = { retriesMax: 2, retryMinMs: 1, retryMaxMs: 50, requestTimeoutMs: 300 }
const chainId = JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x7' })

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Answers one after the other; the last one stays. */
let answers: Answer[]
let requests: IncomingMessage[]
let server: Server

const port = () => {
  const bound = server.address()
  return bound !== null && typeof bound !== 'string' ? bound.port : 0
}
const url = () => `http://127.0.0.1:${port()}`
const withBody =
  (body: string, status = 200, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    response.writeHead(status, headers).end(body)

/** The id of our first question is 1, of its retries one more each. */
const right: Answer = (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { id }: { id: number } = JSON.parse(Buffer.concat(chunks).toString())
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: '0x7' }))
  })
}

beforeEach(async () => {
  answers = [right]
  requests = []
  server = createServer((request, response) => {
    requests.push(request)
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    answer?.(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

describe('a node over http', () => {
  const chainIdOf = async (): Promise<number> => {
    const source = await rpcSource({ url: url(), limits })
    await source.close()
    return source.chainId
  }

  it.each<[string, Answer]>([
    ['429 with patience', withBody('', 429, { 'retry-after': '0.01' })],
    ['503', withBody('gone', 503)],
    ['a cut connection', (request) => request.socket.destroy()],
    [
      'half an answer',
      (_, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"jsonrpc"')
        setImmediate(() => response.destroy())
      },
    ],
    ['no JSON', withBody('<html>')],
    ['silence', () => {}],
    [
      'a limit reported with status 400',
      withBody('{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"x"}}', 400),
    ],
  ])('is asked again after %s', async (_, answer) => {
    answers = [answer, right]
    expect(await chainIdOf()).toBe(7)
    expect(requests).toHaveLength(2)
  })

  it('is not asked again after a refusal', async () => {
    answers = [withBody('who are you', 401)]
    await expect(chainIdOf()).rejects.toThrow(/no answer from the node at .*: the node answers 401/)
    expect(requests).toHaveLength(1)
  })

  it('is given up after the bound of tries', async () => {
    answers = [withBody('', 503)]
    await expect(chainIdOf()).rejects.toThrow('the node answers 503')
    expect(requests).toHaveLength(1 + limits.retriesMax)
  })

  it('that is away gets one sentence', async () => {
    const away = url()
    server.close()
    const refused = await rpcSource({ url: away, limits }).catch((error: unknown) => error)
    expect(refused).toMatchObject({
      name: 'SourceError',
      kind: 'unreachable',
      message: expect.stringMatching(
        /^no answer from the node at http:\/\/127\.0\.0\.1:\d+: the node cannot be reached: .*ECONNREFUSED/,
      ),
    })
  })

  it('is not asked on a port that the HTTP client refuses, which the error names', async () => {
    await expect(rpcSource({ url: 'http://127.0.0.1:1', limits })).rejects.toThrow(
      'the HTTP client does not connect to port 1, which is reserved for another protocol',
    )
  })

  it('is refused an answer larger than the bound', async () => {
    answers = [withBody(chainId.padEnd(2_000))]
    const small = { ...limits, responseBytesMax: 1_000 }
    await expect(rpcSource({ url: url(), limits: small })).rejects.toThrow('more than 1000 bytes')
  })

  it('gets user and password in a header, and nobody else gets them', async () => {
    const secret = url().replace('http://', 'http://me:hun%40ter2@')
    const lines: string[] = []
    const log = {
      ...silentLog,
      warn: (...said: unknown[]) => void lines.push(JSON.stringify(said)),
    }
    answers = [withBody('', 503), right]
    await (await rpcSource({ url: secret, log, limits })).close()
    const said = `Basic ${Buffer.from('me:hun@ter2').toString('base64')}`
    expect(requests[0]?.headers.authorization).toBe(said)
    expect(lines).toHaveLength(1)
    answers = [withBody('', 403)]
    lines.push(await rpcSource({ url: secret, log, limits }).then(String, String))
    expect(lines.join()).not.toMatch(/hun|me:/)
  })
})

describe('a node over ws', () => {
  let sockets: WebSocketServer
  const connections: WebSocket[] = []
  const answer = (socket: WebSocket, said: object) => socket.send(JSON.stringify(said))
  const bounds = { timeoutMs: limits.requestTimeoutMs, responseBytesMax: 10_000 }
  const options = () => ({
    connectTimeoutMs: limits.requestTimeoutMs,
    messageBytesMax: rpcLimits.responseBytesMax,
    url: new URL(url().replace('http', 'ws')),
  })

  beforeEach(() => {
    connections.length = 0
    sockets = new WebSocketServer({ server })
    sockets.on('connection', (socket) => {
      connections.push(socket)
      socket.on('message', (bytes) => {
        const { id, method }: { id: number; method: string } = JSON.parse(String(bytes))
        if (method !== 'silence') answer(socket, { jsonrpc: '2.0', id, result: method })
      })
    })
  })
  afterEach(() => {
    for (const socket of connections) socket.terminate()
    sockets.close()
  })

  it('answers many questions on one connection, each with its own answer', async () => {
    const transport = wsTransport(options())
    const methods = Array.from({ length: 20 }, (_, at) => `method${at}`)
    const said = await Promise.all(
      methods.map((method) => transport.send([{ method, params: [] }], bounds)),
    )
    expect(said).toEqual(methods.map((method) => [{ result: method }]))
    expect(connections).toHaveLength(1)
    transport.close()
  })

  it('reconnects after the connection is lost, and reports the loss', async () => {
    const transport = wsTransport(options())
    const notices: boolean[] = []
    await transport.subscribeHeads?.((isLost) => notices.push(isLost), bounds)
    const [first] = connections
    if (first) answer(first, { method: 'eth_subscription', params: { result: {} } })
    await until('the head arrives', () => notices.length === 1)
    first?.terminate()
    await until('the loss is reported', () => notices.length === 2)
    expect(notices).toEqual([false, true])
    expect(await transport.send([{ method: 'again', params: [] }], bounds)).toEqual([
      { result: 'again' },
    ])
    expect(connections).toHaveLength(2)
    transport.close()
  })

  it('is left and connected anew after silence', async () => {
    const transport = wsTransport(options())
    await expect(transport.send([{ method: 'silence', params: [] }], bounds)).rejects.toMatchObject(
      {
        kind: 'timed-out',
      },
    )
    expect(await transport.send([{ method: 'again', params: [] }], bounds)).toEqual([
      { result: 'again' },
    ])
    expect(connections).toHaveLength(2)
    transport.close()
  })

  it('ends what is waiting when it is closed', async () => {
    const transport = wsTransport(options())
    const waiting = transport.send([{ method: 'silence', params: [] }], bounds)
    await until('connected', () => connections.length === 1)
    transport.close()
    await expect(waiting).rejects.toMatchObject({ kind: 'unreachable' })
    await expect(transport.send([{ method: 'again', params: [] }], bounds)).rejects.toThrow(
      'was closed',
    )
  })
})
