import { createServer } from 'node:http'
import { z } from 'zod'

/** The backend of another explorer: returns what it was asked. */
export interface ExplorerDouble {
  readonly port: number
  readonly close: () => Promise<void>
}

/** A response of the double. */
export const echo = z.strictObject({
  explorer: z.literal(true),
  method: z.string(),
  /** As it was sent. */
  target: z.string(),
  headers: z.record(z.string(), z.string()),
  bodyBytes: z.number(),
})

export async function explorerDouble(): Promise<ExplorerDouble> {
  const server = createServer((request, response) => {
    let bodyBytes = 0
    request.on('data', (chunk: Buffer) => {
      bodyBytes += chunk.length
    })
    request.on('end', () => {
      const { method, url: target, headers } = request
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ explorer: true, method, target, headers, bodyBytes }))
    })
  })
  server.on('upgrade', (_request, socket) => {
    socket.end(
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  return {
    port: typeof bound === 'object' ? (bound?.port ?? 0) : 0,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
