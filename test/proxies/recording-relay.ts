import { connect, createServer, type Socket } from 'node:net'

/** A connection of the proxy to the API. */
export interface Relayed {
  readonly isOpen: () => boolean
  /** Who ended it first. */
  readonly endedBy: Promise<'proxy' | 'api'>
}

export interface Relay {
  readonly port: number
  readonly connections: readonly Relayed[]
  readonly close: () => Promise<void>
}

/** Stands between a proxy and the API, and sees who ends which connection. */
export async function recordingRelay(api: number): Promise<Relay> {
  const sockets = new Set<Socket>()
  const connections: Relayed[] = []
  const server = createServer((proxy) => {
    const onward = connect(api, '127.0.0.1')
    let isOpen = true
    const endedBy = new Promise<'proxy' | 'api'>((resolve) => {
      for (const event of ['end', 'error', 'close']) {
        proxy.on(event, () => resolve('proxy'))
        onward.on(event, () => resolve('api'))
      }
    })
    void endedBy.then(() => {
      isOpen = false
    })
    connections.push({ endedBy, isOpen: () => isOpen })
    for (const [from, to] of [
      [proxy, onward],
      [onward, proxy],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy())
      from.on('close', () => sockets.delete(from))
      from.pipe(to)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  return {
    port: typeof bound === 'object' ? (bound?.port ?? 0) : 0,
    connections,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
