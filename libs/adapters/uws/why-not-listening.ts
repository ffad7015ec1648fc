import { createServer } from 'node:net'

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'this machine does not have that address',
  EACCES: 'this user has no right to that port',
}

/** Why nothing can listen there; uWebSockets.js only says that it could not, Node says why. */
export function whyNotListening(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer()
    server.on('error', (error: NodeJS.ErrnoException) =>
      resolve(reasons[error.code ?? ''] ?? error.message),
    )
    // Free by now: whoever held it has let go meanwhile.
    server.listen(port, host, () => server.close(() => resolve('the port was in use')))
  })
}
