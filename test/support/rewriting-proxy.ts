import { type TcpProxy, tcpProxy } from './tcp-proxy.ts'

/** Stands before a broker, and says another port than its own wherever it tells one. */
export const rewritingProxy = (to: number, told: number): Promise<TcpProxy> =>
  tcpProxy(to, () => ({
    toClient(bytes, write) {
      tellPort(bytes, to, told)
      write(bytes)
    },
  }))

/** Writes one port over the other, wherever a broker tells it. */
export function tellPort(bytes: Buffer, own: number, told: number): void {
  const [pattern, other] = [portBytes(own), portBytes(told)]
  for (let at = bytes.indexOf(pattern); at !== -1; at = bytes.indexOf(pattern, at + 4)) {
    other.copy(bytes, at)
  }
}

function portBytes(port: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(port)
  return bytes
}
