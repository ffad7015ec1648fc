import { createServer } from 'node:net'

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'this machine does not have that address',
  EACCES: 'this user has no right to that port',
}

/**
 * Tries to listen for a moment: uWebSockets.js reports only that it failed, Node the reason.
 * @returns null if this process can listen there
 */
export function whyNotListening(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.on('error', (error: NodeJS.ErrnoException) =>
      resolve(reasons[error.code ?? ''] ?? error.message),
    )
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)))
  })
}
