import { FetchFailure } from './fetch-failure.ts'

const urlCharactersMax = 8_192

const schemes = new Set(['http:', 'https:'])

/**
 * Below 1,024, ports of other protocols but for these two; above, those that the Fetch standard
 * blocks. A request to such a port may be read as commands of its protocol.
 */
const webPorts = new Set([80, 443])
const systemPortMax = 1_023
const blockedPorts = new Set([
  ...[1_719, 1_720, 1_723, 2_049, 3_659, 4_045, 4_190, 5_060, 5_061, 6_000, 6_566],
  ...[6_665, 6_666, 6_667, 6_668, 6_669, 6_679, 6_697, 10_080],
])

/**
 * A URL that may be requested as far as its text can tell; what its host resolves to is not known.
 * @param from what a relative one is resolved against
 * @throws FetchFailure
 */
export function checkedUrl(text: string, from?: URL): URL {
  const url = text.length > urlCharactersMax ? null : parsed(text, from)
  if (url === null || url.href.length > urlCharactersMax) {
    const sentence = `not a URL of at most ${urlCharactersMax} characters`
    throw new FetchFailure('malformed-url', sentence)
  }
  if (!schemes.has(url.protocol)) {
    throw new FetchFailure('scheme', 'a URL that is neither http nor https is not fetched')
  }
  if (url.username !== '' || url.password !== '') {
    throw new FetchFailure('credentials', 'a URL with a user or a password is not fetched')
  }
  // It is not sent.
  url.hash = ''
  return url
}

/** @throws FetchFailure */
export function refuseOtherProtocols(url: URL): void {
  const port = portOf(url)
  if (webPorts.has(port) || (port > systemPortMax && !blockedPorts.has(port))) return
  throw new FetchFailure('port', 'the port is reserved for another protocol')
}

export const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)

/** Host as sockets and resolvers take it: an IPv6 address has no brackets. */
export const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

function parsed(text: string, from?: URL): URL | null {
  try {
    return new URL(text, from)
  } catch {
    return null
  }
}
