import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { type HttpRequest, headerOf } from '../../../../libs/ports/http.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

type ForwardedRequest = Pick<HttpRequest, 'client' | 'headers' | 'header'>

/** Entries of X-Forwarded-For that are read, from the right; a longer chain is cut there. */
const hopsMax = 16
/** Characters of the header that are read, from the right. */
const forwardedCharactersMax = 1_024
/** Chains whose result is cached, and the length up to which one is. */
const cachedChainsMax = 8_192
const cachedCharactersMax = 128

/**
 * Finds the client that a request is counted for: its IPv4 address, or the /64 of its IPv6 address,
 * because one host has a whole /64. The result has a few characters, whatever the request holds.
 */
export class ClientAddresses {
  private readonly trusted: readonly [Address, number][]
  private readonly cached = new LRUCache<string, string>({
    // By their size: a number of entries would take its memory at once.
    maxSize: cachedChainsMax,
    sizeCalculation: () => 1,
  })

  /** @param trustedProxies addresses and CIDR ranges. @throws if one is neither */
  constructor(trustedProxies: readonly string[]) {
    this.trusted = trustedProxies.map(rangeOf)
  }

  /**
   * The rightmost address of X-Forwarded-For that is not a trusted proxy, if the peer is one:
   * entries further left were sent by the client, and may say anything. A malformed entry ends the
   * chain: the trusted proxy that added it counts as the client.
   */
  of(request: ForwardedRequest): string {
    const { client } = request
    const forwarded = this.trusted.length === 0 ? '' : headerOf(request, 'x-forwarded-for')
    const chain = forwarded === '' ? client : `${client},${forwarded}`
    const known = this.cached.get(chain)
    if (known !== undefined) return known
    const found = this.found(client, forwarded)
    if (chain.length <= cachedCharactersMax) this.cached.set(chain, found)
    return found
  }

  private found(client: string, forwarded: string): string {
    let address = addressIn(client)
    if (address === null) return 'unknown'
    const hops = forwarded.slice(-forwardedCharactersMax).split(',').slice(-hopsMax)
    while (hops.length > 0 && this.isTrusted(address)) {
      const next = addressIn(hops.pop() ?? '')
      if (next === null) break
      address = next
    }
    return networkOf(address)
  }

  private isTrusted(address: Address): boolean {
    return this.trusted.some((range) => address.kind() === range[0].kind() && address.match(range))
  }
}

function rangeOf(text: string): [Address, number] {
  const [address, bits] = text.includes('/') ? ipaddr.parseCIDR(text) : wholeRange(text)
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()
  return isMapped ? [address.toIPv4Address(), Math.max(0, bits - 96)] : [address, bits]
}

function wholeRange(text: string): [Address, number] {
  const address = ipaddr.parse(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

/**
 * An address as proxies write it: perhaps with a port, an IPv6 address then in brackets; null for
 * anything else. Node decides what is an address: the library accepts octal and short forms.
 */
function addressIn(text: string): Address | null {
  const trimmed = text.trim()
  const [, bracketed, beforePort] = withPort.exec(trimmed) ?? []
  const address = bracketed ?? beforePort ?? trimmed
  if (isIP(address) === 0) return null
  // A zone names an interface of the proxy: it is no part of the address.
  return ipaddr.process(address.replace(/%.*$/s, ''))
}

const withPort = /^(?:\[([^\]]*)\](?::\d{1,5})?|([^:]*):\d{1,5})$/

const networkBytes = 8

function networkOf(address: Address): string {
  if (address.kind() === 'ipv4') return address.toString()
  return Buffer.from(address.toByteArray().slice(0, networkBytes)).toString('hex')
}
