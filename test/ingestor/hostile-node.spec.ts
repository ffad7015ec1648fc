import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createGzip } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { rpcSource } from '../../libs/adapters/rpc/rpc-source.ts'
import type { RpcCall } from '../../libs/adapters/rpc/transport/rpc-transport.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { person } from '../../libs/projections/testing/facts.ts'
import { upToHead } from '../../services/ingestor/repair.ts'
import { startInMemory } from '../../services/ingestor/testing/start-in-memory.ts'
import { chainInLog } from '../support/chain-in-log.ts'
import { NodeOfValues } from '../support/node-of-values.ts'
import { plannedChain, plannedFiles } from '../support/planned-files.ts'

const limits = {
  retriesMax: 2,
  retryMinMs: 1,
  retryMaxMs: 20,
  requestTimeoutMs: 300,
  pollIntervalMs: 50,
}
const payment = { from: person(1), to: person(2), value: 1n, input: '0x' as const, logs: [] }
const chain = plannedChain(Array.from({ length: 5 }, () => [payment]))

type Call = RpcCall & { readonly id: number }

const isCall = (said: unknown): said is Call =>
  typeof said === 'object' && said !== null && 'id' in said && 'method' in said

/** What a well-behaved node would answer to the text of a request. */
function honest(text: string): unknown {
  const node = new NodeOfValues(plannedFiles(chain))
  const said: unknown = JSON.parse(text)
  const calls = (Array.isArray(said) ? said : [said]).filter(isCall)
  const answers = node.answers(
    calls,
    calls.map(({ id }) => id),
  )
  return Array.isArray(said) ? answers : answers[0]
}

const portOf = (server: Server) => {
  const bound = server.address()
  return bound !== null && typeof bound !== 'string' ? bound.port : 0
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

type Evil = (response: ServerResponse, text: string) => void

let server: Server
let evil: Evil[]
let requests: number

beforeEach(async () => {
  evil = []
  requests = 0
  server = createServer(async (request, response) => {
    requests++
    const text = await textOf(request)
    const spoilt = evil.shift()
    if (spoilt) spoilt(response, text)
    else response.end(JSON.stringify(honest(text)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

/** Publishes all that the node has, as far as it lets us. */
async function published(url: string) {
  const source = await rpcSource({ url, limits })
  const eventLog = memoryEventLog()
  const pauses = { retryMinMs: 1, retryMaxMs: 10 }
  const ingestor = await startInMemory({ source: await upToHead(source), eventLog, limits: pauses })
  await Promise.race([ingestor.done, ingestor.failed.then((error) => Promise.reject(error))])
  await ingestor.stop()
  await source.close()
  return [...(await chainInLog(eventLog)).standing.values()]
}

const changed =
  (change: (answer: object) => unknown): Evil =>
  (response, text) => {
    const said = honest(text)
    const list: unknown[] = Array.isArray(said) ? said : [said]
    const answers = list.flatMap((it) => {
      const made = typeof it === 'object' && it !== null ? change(it) : it
      return Array.isArray(made) ? made : [made]
    })
    response.end(JSON.stringify(Array.isArray(said) ? answers : answers[0]))
  }
const text =
  (body: string): Evil =>
  (response) =>
    response.end(body)

describe('a hostile node over http', () => {
  const hashes = chain.map(({ hash }) => hash)
  const pad = 'x'.repeat(1024 * 1024)

  const url = () => `http://127.0.0.1:${portOf(server)}`
  const well: Evil = (response, said) => response.end(JSON.stringify(honest(said)))

  it.each<[string, Evil]>([
    ['answers every question twice', changed((answer) => [answer, answer])],
    ['answers with ids of others', changed((answer) => ({ ...answer, id: 1e6 }))],
    ['answers with ids as texts', changed((answer) => ({ ...answer, id: '1' }))],
    ['leaves out its ids', changed(({ ...answer }) => ({ ...answer, id: undefined }))],
    ['answers with numbers that are none', changed((it) => ({ ...it, result: '0xNaN' }))],
    ['answers with endless numbers', text('{"jsonrpc":"2.0","id":1e999,"result":1e999}')],
    ['answers with a page', text('<html>502 Bad Gateway</html>')],
    ['answers with nothing', text('')],
    ['answers with a deep nest', text('['.repeat(100_000))],
    ['answers with a proto', text('{"id":1,"__proto__":{"result":"0x1"}}')],
    [
      'never ends its answer',
      (response) => {
        response.write('{"jsonrpc":"2.0"')
        const drip = setInterval(() => response.write(' '), 20)
        response.on('close', () => clearInterval(drip))
      },
    ],
    [
      'never stops sending',
      (response) => {
        const more = () => {
          while (response.write(pad));
        }
        response.on('drain', more)
        more()
      },
    ],
    [
      'packs zeros without end',
      (response) => {
        response.setHeader('content-encoding', 'gzip')
        const packed = createGzip()
        packed.pipe(response)
        const more = () => {
          while (!response.destroyed && packed.write(pad));
        }
        packed.on('drain', more)
        response.on('close', () => packed.destroy())
        more()
      },
    ],
    ['packs nonsense', (it) => it.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip')],
  ])('that %s costs a retry, and the chain is whole', async (_, spoilt) => {
    expect(await published(url())).toEqual(hashes)
    // Each third answer, but not the first: a service that starts reports that failure at once.
    evil = Array.from({ length: requests }, (__, at) => (at % 3 === 2 ? spoilt : well))
    expect(await published(url())).toEqual(hashes)
    expect(evil.length).toBeLessThan(requests / 2)
  })

  it.each([301, 302, 303, 307, 308])('is not followed elsewhere (%i)', async (status) => {
    const visited: string[] = []
    const elsewhere = createServer((request, response) => {
      visited.push(request.headers.authorization ?? 'nobody')
      response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}')
    })
    elsewhere.listen(0, '127.0.0.1')
    await once(elsewhere, 'listening')
    const location = `http://127.0.0.1:${portOf(elsewhere)}/latest/meta-data`
    evil = [(response) => response.writeHead(status, { location }).end()]
    const url = `http://me:secret@127.0.0.1:${portOf(server)}`
    await expect(rpcSource({ url, limits })).rejects.toThrow(
      `the node answers ${status} and redirects to another address: use that one`,
    )
    expect(visited).toEqual([])
    elsewhere.close()
  })
})

describe('a hostile node over ws', () => {
  let sockets: WebSocketServer
  let answer: (socket: WebSocket, text: string) => void
  const answered = (socket: WebSocket, said: string) => socket.send(JSON.stringify(honest(said)))
  const url = () => `ws://127.0.0.1:${portOf(server)}`

  beforeEach(() => {
    answer = answered
    sockets = new WebSocketServer({ server })
    sockets.on('connection', (socket) => {
      socket.on('error', () => {})
      socket.on('message', (bytes) => answer(socket, String(bytes)))
    })
  })
  afterEach(() => {
    for (const socket of sockets.clients) socket.terminate()
    sockets.close()
  })

  it('that answers late, and others’ questions, and with nonsense, is read past', async () => {
    let turn = 0
    answer = (socket, said) => {
      turn++
      socket.send('{"jsonrpc":"2.0","id":987654,"result":"0x1"}')
      if (turn % 4 === 1) socket.send('no json')
      if (turn % 4 === 2) socket.send(JSON.stringify([1, null, { id: 987_655 }]))
      answered(socket, said)
    }
    expect(await published(url())).toEqual(chain.map(({ hash }) => hash))
  })

  it('that ends the connection in the middle of each third answer has its chain published', async () => {
    let turn = 0
    answer = (socket, said) => {
      turn++
      if (turn % 3 === 2) socket.terminate()
      else answered(socket, said)
    }
    expect(await published(url())).toEqual(chain.map(({ hash }) => hash))
  })
})
