import { Resolver } from 'node:dns/promises'

/** Of one query to one server, before the next one is asked. */
const queryTimeoutMs = 2_000
const triesMax = 2

/** All addresses of a host; rejects without any, or when the signal aborts. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>

/**
 * Asks DNS itself, not the operating system: its resolver has two threads in a process, each held
 * for as long as a stranger's name server does not answer, and it would find names of the hosts
 * file and of search domains, which no stranger means.
 * @param servers addresses with ports, by default those of the system
 */
export function resolveByDns(servers?: readonly string[]): Resolve {
  return async (host, signal) => {
    const resolver = new Resolver({ timeout: queryTimeoutMs, tries: triesMax })
    if (servers !== undefined) resolver.setServers(servers)
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel)
    try {
      const [four, six] = await Promise.allSettled([
        resolver.resolve4(host),
        resolver.resolve6(host),
      ])
      if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
      return [four, six].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}
