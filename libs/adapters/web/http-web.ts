import { isIP, type Socket } from 'node:net'
import pTimeout from 'p-timeout'
import type { Web, WebResult } from '../../ports/web.ts'
import { linkedAbort } from '../../signals/linked-abort.ts'
import { bareHost, checkedUrl, refuseOtherProtocols } from './checked-url.ts'
import { type Connect, connectTo } from './connect-to.ts'
import { type ExchangeLimits, exchange, type Redirect } from './exchange.ts'
import { FetchFailure, failureOf } from './fetch-failure.ts'
import { Places } from './places.ts'
import { isPublicAddress, networkOf } from './public-address.ts'
import { type Resolve, resolveByDns } from './resolve-by-dns.ts'
import { checkedTrust, isAmong, type TrustedUrls } from './trusted-urls.ts'

interface HttpWebOptions {
  /**
   * URLs that may have any address and port, such as those of a gateway of IPFS in the same
   * network. Their hosts are found as the operating system finds them.
   */
  readonly trusted?: readonly TrustedUrls[]
  readonly limits?: Partial<WebLimits>
  /** Addresses of strangers' hosts; by default those of DNS. */
  readonly resolve?: Resolve
  /** Opens connections; by default over TCP and TLS. */
  readonly connect?: Connect
  /** PEM of an authority whose certificates are trusted beside those of public ones. */
  readonly authority?: string
}

/**
 * A fetch holds `bytesMax` three times at most, and up to 16 MiB while Brotli is decoded: the
 * format has windows of that size.
 */
interface WebLimits extends ExchangeLimits {
  /** Of a whole fetch, redirects included. */
  readonly timeoutMs: number
  /** Of each connection, TLS included. */
  readonly connectTimeoutMs: number
  readonly redirectsMax: number
  /** Concurrent fetches. */
  readonly requestsMax: number
  /** Concurrent requests to a host name, whatever the port. */
  readonly requestsPerHostMax: number
  readonly requestsPerTrustedHostMax: number
  /**
   * Concurrent requests to an address, whatever names lead to it; more than for a name, because
   * many strangers share the servers of a content delivery network.
   */
  readonly requestsPerAddressMax: number
}

const defaults: WebLimits = {
  timeoutMs: 15_000,
  connectTimeoutMs: 5_000,
  headBytesMax: 16_384,
  bytesMax: 1_048_576,
  redirectsMax: 5,
  requestsMax: 32,
  requestsPerHostMax: 4,
  requestsPerTrustedHostMax: 16,
  requestsPerAddressMax: 16,
}

/** Addresses of a host that a connection is tried to. All are checked. */
const addressesMax = 8

/** The web by HTTP/1.1, without proxies, whatever the environment says. */
export function httpWeb(options: HttpWebOptions = {}): Web {
  return new HttpWeb(options)
}

class HttpWeb implements Web {
  readonly #limits: WebLimits
  readonly #trusted: readonly TrustedUrls[]
  readonly #resolve: Resolve
  readonly #connect: Connect
  readonly #authority: string | null
  readonly #places = new Places()
  /** What ends each running fetch. */
  readonly #running = new Set<(reason: Error) => void>()
  readonly #whenIdle: (() => void)[] = []
  #isClosed = false

  constructor({ trusted = [], limits, ...options }: HttpWebOptions) {
    this.#limits = { ...defaults, ...limits }
    this.#trusted = trusted.map(checkedTrust)
    this.#resolve = options.resolve ?? resolveByDns()
    this.#connect = options.connect ?? connectTo
    this.#authority = options.authority ?? null
  }

  async fetch(text: string, signal: AbortSignal): Promise<WebResult> {
    signal.throwIfAborted()
    if (this.#isClosed) throw closed()
    const release = this.#places.take('all', this.#limits.requestsMax)
    if (release === null) return busy
    const { timeoutMs } = this.#limits
    const { signal: own, end } = linkedAbort(signal)
    const late = new FetchFailure('timed-out', `no whole document within ${timeoutMs} ms`)
    const timer = setTimeout(() => end(late), timeoutMs)
    this.#running.add(end)
    try {
      return await this.#follow(text, own)
    } finally {
      clearTimeout(timer)
      end()
      release()
      this.#running.delete(end)
      if (this.#running.size === 0) for (const idle of this.#whenIdle.splice(0)) idle()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#running.size === 0) return
    const idle = new Promise<void>((resolve) => this.#whenIdle.push(resolve))
    for (const end of this.#running) end(closed())
    await idle
  }

  async #follow(text: string, signal: AbortSignal): Promise<WebResult> {
    let host: string | null = null
    try {
      let url = checkedUrl(text)
      for (let redirects = 0; ; redirects++) {
        host = url.host
        const result = await this.#request(url, signal)
        if (result.kind !== 'redirect') return result
        if (redirects === this.#limits.redirectsMax) {
          throw new FetchFailure('redirects', `more than ${redirects} redirects`)
        }
        url = checkedUrl(result.location, url)
      }
    } catch (cause) {
      // What broke because of an abort is no failure of its own.
      const reason: unknown = signal.aborted ? signal.reason : cause
      if (reason instanceof FetchFailure) return reason.asResult(host)
      throw reason
    }
  }

  async #request(url: URL, signal: AbortSignal): Promise<WebResult | Redirect> {
    const { requestsPerHostMax, requestsPerTrustedHostMax, connectTimeoutMs } = this.#limits
    const isTrusted = this.#trusted.some((trusted) => isAmong(trusted, url))
    if (!isTrusted) refuseOtherProtocols(url)
    const host = bareHost(url)
    const requestsMax = isTrusted ? requestsPerTrustedHostMax : requestsPerHostMax
    // With a dot at its end, it is the same host.
    const release = this.#places.take(`host ${host.replace(/\.$/, '')}`, requestsMax)
    if (release === null) return busy
    try {
      const addresses = isTrusted ? null : await this.#publicAddresses(host, signal)
      const to = { url, addresses, connectTimeoutMs, authority: this.#authority }
      const socket = await this.#connect(to, signal)
      return await this.#exchange({ url, socket, isTrusted }, signal)
    } finally {
      release()
    }
  }

  /**
   * Addresses that a connection may go to: none is looked up again. One that is not public refuses
   * them all, because whoever publishes it means this network, or is mistaken about it.
   * @throws FetchFailure
   */
  async #publicAddresses(host: string, signal: AbortSignal): Promise<readonly string[]> {
    const addresses = isIP(host) === 0 ? await this.#resolved(host, signal) : [host]
    if (!addresses.every(isPublicAddress)) {
      throw new FetchFailure('private-address', 'the host has an address that is not public')
    }
    return addresses.slice(0, addressesMax)
  }

  async #resolved(host: string, signal: AbortSignal): Promise<readonly string[]> {
    try {
      const milliseconds = Number.POSITIVE_INFINITY
      const found = await pTimeout(this.#resolve(host, signal), { milliseconds, signal })
      if (found.length > 0) return found
    } catch (cause) {
      throw failureOf(cause, 'unresolved')
    }
    throw new FetchFailure('unresolved', 'the host has no address')
  }

  /** Counts by the address that was connected to: a stranger may list those of others, too. */
  async #exchange(
    { url, socket, isTrusted }: { url: URL; socket: Socket; isTrusted: boolean },
    signal: AbortSignal,
  ): Promise<WebResult | Redirect> {
    const { remoteAddress } = socket
    const key = isTrusted || remoteAddress === undefined ? null : networkOf(remoteAddress)
    const max = this.#limits.requestsPerAddressMax
    const release = key === null ? () => {} : this.#places.take(`address ${key}`, max)
    if (release === null) {
      socket.destroy()
      return busy
    }
    try {
      return await exchange({ url, socket }, this.#limits, signal)
    } finally {
      release()
    }
  }
}

const busy = { kind: 'busy' } as const

const closed = () => new Error('the client of the web is closed')
