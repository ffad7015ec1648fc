import { createServer, type Socket } from 'node:net'

export interface FailingServer {
  readonly port: number
  /** That it has received. */
  readonly requests: () => number
  readonly close: () => Promise<void>
}

/** Responds to each request with the beginning of a response, then closes or hangs. */
export async function failingServer(
  beginning: string,
  then: 'closes' | 'hangs',
): Promise<FailingServer> {
  const sockets = new Set<Socket>()
  let requests = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.once('data', () => {
      requests += 1
      socket.write(beginning, () => then === 'closes' && socket.destroy())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  return {
    port: typeof bound === 'object' ? (bound?.port ?? 0) : 0,
    requests: () => requests,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
