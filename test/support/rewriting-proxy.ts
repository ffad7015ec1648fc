import { connect, createServer, type Socket } from 'node:net'

export interface Proxy {
  readonly port: number
  close(): Promise<void>
}

/** Stands before a broker, and says another port than its own wherever it tells one. */
export async function rewritingProxy(to: number, told: number): Promise<Proxy> {
  const sockets = new Set<Socket>()
  const [own, other] = [to, told].map(portBytes)
  const server = createServer((client) => {
    const broker = connect({ host: '127.0.0.1', port: to })
    for (const socket of [client, broker]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        broker.destroy()
      })
    }
    client.on('data', (bytes) => broker.write(bytes))
    broker.on('data', (bytes) => {
      for (let at = bytes.indexOf(own ?? ''); at !== -1; at = bytes.indexOf(own ?? '', at + 4)) {
        other?.copy(bytes, at)
      }
      client.write(bytes)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function portBytes(port: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(port)
  return bytes
}
