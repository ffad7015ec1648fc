import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

/** A server on this machine that says what a test wants, HTTP or not. */
export interface LocalServer {
  readonly port: number
  readonly origin: string
  /** Of all requests, with their header fields, in the order in which they came. */
  readonly heads: readonly string[]
  /** All that were ever made. */
  readonly connections: number
  /** Resolves when every connection is closed. */
  closed(): Promise<void>
  close(): Promise<void>
}

/** Writes to a connection as it likes; called when the head of a request has come. */
export type Answer = (socket: Socket, head: string) => void

export async function localServer(answer: Answer): Promise<LocalServer> {
  const heads: string[] = []
  const server = createServer((socket) => {
    let head = ''
    socket.on('data', (chunk) => {
      head += chunk.toString('latin1')
      if (!head.endsWith('\r\n\r\n')) return
      heads.push(head)
      answer(socket, head)
      head = ''
    })
  })
  const counted = counting(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const port = portOf(server)
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    heads,
    get connections() {
      return counted.connections
    },
    closed: counted.closed,
    close: counted.close,
  }
}

/** All URLs that begin so, as options of the client have them. */
export const allOf = (beginning: string) => [{ beginning, segment: /^/ }]

/** Counts connections at one port of both loopback addresses. Nobody should come. */
export async function trap() {
  const four = createServer()
  const six = createServer()
  const counts = [counting(four), counting(six)]
  await once(four.listen(0, '127.0.0.1'), 'listening')
  const port = portOf(four)
  // Not every machine has IPv6.
  const isThere = once(six.listen(port, '::1'), 'listening').then(
    () => true,
    () => false,
  )
  const hasIpv6 = await isThere
  return {
    port,
    connections: () => counts.reduce((sum, { connections }) => sum + connections, 0),
    close: async () => {
      await counts[0]?.close()
      if (hasIpv6) await counts[1]?.close()
    },
  }
}

function counting(server: Server) {
  const sockets = new Set<Socket>()
  const waiting: (() => void)[] = []
  const counted = {
    connections: 0,
    closed: async () => {
      if (sockets.size > 0) await new Promise<void>((resolve) => waiting.push(resolve))
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  server.on('connection', (socket) => {
    counted.connections++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      if (sockets.size === 0) for (const resolve of waiting.splice(0)) resolve()
    })
  })
  return counted
}

function portOf(server: Server): number {
  const bound: AddressInfo | string | null = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('the server does not listen')
  return bound.port
}

/** A whole response. */
export const response = (body: string, fields: readonly string[] = [], status = '200 OK'): string =>
  [`HTTP/1.1 ${status}`, ...fields, `Content-Length: ${Buffer.byteLength(body)}`, '', body].join(
    '\r\n',
  )
