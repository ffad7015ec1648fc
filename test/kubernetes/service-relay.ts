import { connect, createServer, type Socket } from 'node:net'

export interface ServiceRelay {
  readonly address: string
  close(): Promise<void>
}

export interface ServiceRelayOptions {
  readonly address: string
  readonly port: number
  /** Origins of its ready pods. */
  readonly upstream: () => readonly string[]
}

/** A Service of a cluster: leads each connection to one of its pods, in turn. */
export async function serviceRelay(options: ServiceRelayOptions): Promise<ServiceRelay> {
  const { address, port, upstream } = options
  const sockets = new Set<Socket>()
  let turn = 0
  const server = createServer({ noDelay: true }, (client) => {
    const origins = upstream()
    const origin = origins[turn++ % Math.max(1, origins.length)]
    if (origin === undefined) return void client.destroy()
    const { hostname, port } = new URL(origin)
    const pod = connect({ host: hostname, port: Number(port), noDelay: true })
    for (const socket of [client, pod]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        pod.destroy()
      })
    }
    client.pipe(pod).pipe(client)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, address, resolve)
  })
  return {
    address,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
