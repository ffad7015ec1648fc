import { connect, createServer, type Socket } from 'node:net'

export interface StallingProxy {
  readonly port: number
  /** Connections that were stalled so far. */
  readonly stalled: number
  close(): Promise<void>
}

/**
 * Stands before a server. From the first bytes of a client on for which `isStalled` says so, that
 * connection stays open and nothing passes any more, as when a server hangs in the midst of work.
 */
export async function stallingProxy(
  to: number,
  isStalled: (bytes: Buffer) => boolean,
): Promise<StallingProxy> {
  const sockets = new Set<Socket>()
  let stalled = 0
  const server = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port: to })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    let passes = true
    client.on('data', (bytes) => {
      if (passes && isStalled(bytes)) {
        passes = false
        stalled++
      }
      if (passes) upstream.write(bytes)
    })
    upstream.on('data', (bytes) => passes && client.write(bytes))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    get stalled() {
      return stalled
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
