/** Listen only if nobody else does: without it two processes would share a port unnoticed. */
export const exclusivePort = 1

// The library takes all four; its types know only three of them.
declare module 'uWebSockets.js' {
  interface TemplatedApp {
    listen(
      host: string,
      port: number,
      options: number,
      cb: (listenSocket: us_listen_socket | false) => void,
    ): TemplatedApp
  }
}
