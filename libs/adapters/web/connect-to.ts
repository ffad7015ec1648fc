import { isIP, type LookupFunction, connect as netConnect, type Socket } from 'node:net'
import { rootCertificates, connect as tlsConnect } from 'node:tls'
import { bareHost, portOf } from './checked-url.ts'
import { FetchFailure, failureOf } from './fetch-failure.ts'

interface Connecting {
  readonly url: URL
  /** The only addresses that a name may lead to; null: those that the system finds. */
  readonly addresses: readonly string[] | null
  readonly connectTimeoutMs: number
  /** PEM of an authority that is trusted beside the public ones. */
  readonly authority: string | null
}

export type Connect = (to: Connecting, signal: AbortSignal) => Promise<Socket>

/**
 * Opens a connection, with TLS for https. A host that is an address is connected to as it is.
 * @returns a socket with nothing sent; whoever gets it destroys it
 * @throws FetchFailure, or the reason of the signal
 */
export function connectTo(to: Connecting, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const isSecure = to.url.protocol === 'https:'
    let isConnected = false
    const socket = isSecure ? secureSocket(to) : netConnect(tcpOptions(to))
    const end = (cause: unknown) => {
      settle()
      socket.destroy()
      reject(cause)
    }
    const timer = setTimeout(() => {
      end(new FetchFailure('timed-out', `no connection within ${to.connectTimeoutMs} ms`))
    }, to.connectTimeoutMs)
    const abort = () => end(signal.reason)
    const settle = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
    signal.addEventListener('abort', abort)
    // Stays: without a listener, an error of a socket that nobody reads yet ends the process.
    socket.on('error', (cause) => end(failureOf(cause, isConnected ? 'tls' : 'unreachable')))
    socket.once('connect', () => {
      isConnected = true
    })
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      settle()
      resolve(socket)
    })
  })
}

function tcpOptions(to: Connecting) {
  return {
    host: bareHost(to.url),
    port: portOf(to.url),
    noDelay: true,
    // Tries the next address while one does not answer.
    autoSelectFamily: true,
    ...(to.addresses !== null && { lookup: only(to.addresses) }),
  }
}

function secureSocket(to: Connecting): Socket {
  const host = bareHost(to.url)
  return tlsConnect({
    ...tcpOptions(to),
    ALPNProtocols: ['http/1.1'],
    // Whatever the environment says.
    rejectUnauthorized: true,
    // A name of TLS has no dot at its end, and is no address.
    ...(isIP(host) === 0 && { servername: host.replace(/\.$/, '') }),
    ...(to.authority !== null && { ca: [...rootCertificates, to.authority] }),
  })
}

/** A lookup that resolves nothing. */
function only(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_, { all }, callback) => {
    const [first] = found
    if (all) callback(null, found)
    else if (first) callback(null, first.address, first.family)
  }
}
