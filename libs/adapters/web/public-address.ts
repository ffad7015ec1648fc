import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The only part of IPv6 that is global unicast; all else is reserved, or has a narrower scope. */
const globalUnicast = ipaddr.parseCIDR('2000::/3')

/** Public by its range, but inside of Azure it is the platform, on every virtual machine. */
const platformAddresses = new Set(['168.63.129.16'])

/**
 * Whether an address is plain global unicast, and thus neither of this machine or network nor a
 * wrapping of another address (mapped, NAT64, 6to4, Teredo), whose target would be unchecked.
 * Node decides what is an address: the library accepts octal and short forms.
 */
export function isPublicAddress(text: string): boolean {
  // An address with a zone is link-local.
  if (isIP(text) === 0 || text.includes('%')) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  if (address instanceof ipaddr.IPv6) return address.match(globalUnicast)
  return !platformAddresses.has(address.toString())
}

const networkBytes = 8

/** What one server has: an IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(text: string): string {
  const address = ipaddr.process(text.replace(/%.*$/s, ''))
  if (address.kind() === 'ipv4') return address.toString()
  return Buffer.from(address.toByteArray().slice(0, networkBytes)).toString('hex')
}
