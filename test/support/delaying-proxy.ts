import { tellPort } from './rewriting-proxy.ts'
import { type TcpProxy, tcpProxy } from './tcp-proxy.ts'

export interface DelayingProxy extends TcpProxy {
  /** Of all bytes that come from now on, in each direction; 0 at first. */
  delay(ms: number): void
}

/** Stands before a server, a broker too: clients that receive its port stay with the proxy. */
export async function delayingProxy(to: number): Promise<DelayingProxy> {
  let delayMs = 0
  let own = 0
  /** In order: bytes that come later never overtake. */
  const delayed = () => {
    let last = Promise.resolve()
    return (bytes: Buffer, write: (bytes: Buffer) => void) => {
      const due = delayMs === 0 ? null : performance.now() + delayMs
      last = last.then(() => after(due)).then(() => write(bytes))
    }
  }
  const proxy = await tcpProxy(to, () => {
    const back = delayed()
    return {
      toServer: delayed(),
      toClient(bytes, write) {
        tellPort(bytes, to, own)
        back(bytes, write)
      },
    }
  })
  own = proxy.port
  return {
    ...proxy,
    delay(ms) {
      delayMs = ms
    },
  }
}

function after(due: number | null): Promise<void> | undefined {
  const ms = due === null ? 0 : due - performance.now()
  return ms <= 0 ? undefined : new Promise((resolve) => setTimeout(resolve, ms))
}
