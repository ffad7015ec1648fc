import { connect, createServer, type Socket } from 'node:net'

export interface TcpProxy {
  readonly port: number
  close(): Promise<void>
}

/** What becomes of bytes on one connection; by default they pass as they are. */
export interface Passing {
  readonly toServer?: (bytes: Buffer, write: (bytes: Buffer) => void) => void
  readonly toClient?: (bytes: Buffer, write: (bytes: Buffer) => void) => void
}

const pass = (bytes: Buffer, write: (bytes: Buffer) => void) => write(bytes)

/**
 * Listens on 127.0.0.1 in front of a server there. @param passing of each new connection
 * @param port by default one that is free
 */
export async function tcpProxy(
  to: number,
  passing: () => Passing = () => ({}),
  port = 0,
): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: '127.0.0.1', port: to, noDelay: true })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    const { toServer = pass, toClient = pass } = passing()
    client.on('data', (bytes) => toServer(bytes, (some) => void upstream.write(some)))
    upstream.on('data', (bytes) => toClient(bytes, (some) => void client.write(some)))
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
