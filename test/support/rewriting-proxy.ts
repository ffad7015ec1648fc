import { type TcpProxy, tcpProxy } from './tcp-proxy.ts'

/** A proxy before a broker that advertises another port than the broker's own. */
export const rewritingProxy = (to: number, told: number): Promise<TcpProxy> =>
  tcpProxy(to, () => ({
    toClient(bytes, write) {
      tellPort(bytes, to, told)
      write(bytes)
    },
  }))

/** The host that a broker of a test's stack advertises, always just before its port. */
const host = Buffer.from('127.0.0.1')

/** Writes one port over the other, wherever a broker sends it: four bytes alone may be anything. */
export function tellPort(bytes: Buffer, own: number, told: number): void {
  const place = Buffer.alloc(host.length + 4)
  host.copy(place)
  place.writeInt32BE(own, host.length)
  for (let at = bytes.indexOf(place); at !== -1; at = bytes.indexOf(place, at + place.length)) {
    bytes.writeInt32BE(told, at + host.length)
  }
}
