import { type Connect, connectTo } from '../connect-to.ts'
import type { LocalServer } from './local-servers.ts'

/** As if the server had every public address; and which addresses each connection might go to. */
export function everywhere(server: Pick<LocalServer, 'port'>) {
  const allowed: (readonly string[] | null)[] = []
  const connect: Connect = ({ addresses, ...to }, signal) => {
    allowed.push(addresses)
    const url = new URL(to.url)
    url.port = `${server.port}`
    return connectTo({ ...to, url, addresses: ['127.0.0.1'] }, signal)
  }
  return { connect, allowed }
}
