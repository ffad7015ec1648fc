import { type TcpProxy, tcpProxy } from './tcp-proxy.ts'

export interface StallingProxy extends TcpProxy {
  /** Connections that were stalled so far. */
  readonly stalled: number
}

/**
 * Stands before a server. From the first bytes of a client on for which `isStalled` is true, that
 * connection stays open and nothing passes any more, as when a server hangs in the midst of work.
 */
export async function stallingProxy(
  to: number,
  isStalled: (bytes: Buffer) => boolean,
): Promise<StallingProxy> {
  let stalled = 0
  const proxy = await tcpProxy(to, () => {
    let passes = true
    return {
      toServer(bytes, write) {
        if (passes && isStalled(bytes)) {
          passes = false
          stalled++
        }
        if (passes) write(bytes)
      },
      toClient: (bytes, write) => passes && write(bytes),
    }
  })
  return {
    ...proxy,
    get stalled() {
      return stalled
    },
  }
}
