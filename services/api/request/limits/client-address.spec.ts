import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { testSeed as seed } from '../../../../test/support/seed.ts'
import { ClientAddresses } from './client-address.ts'

const proxies = ['10.0.0.0/8', '2001:db8:aaaa::/48', '192.0.2.7', '::ffff:172.16.0.0/108']

function clientOf(client: string, forwarded?: string, trusted = proxies): string {
  const headers: Record<string, string> =
    forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  return new ClientAddresses(trusted).of({ client, headers })
}

describe('the client of a request', () => {
  it('is the peer, if the peer is not a trusted proxy', () => {
    expect(clientOf('203.0.113.9', '198.51.100.1')).toBe('203.0.113.9')
    expect(clientOf('10.1.2.3', '198.51.100.1', [])).toBe('10.1.2.3')
  })

  it.each([
    ['198.51.100.1', '198.51.100.1'],
    ['198.51.100.1, 10.2.2.2, 192.0.2.7', '198.51.100.1'],
    ['198.51.100.1,10.2.2.2,,', '10.1.2.3'],
    ['198.51.100.1:4711', '198.51.100.1'],
    ['[2001:db8:1:2::5]:443', '20010db800010002'],
    ['2001:db8:1:2::5', '20010db800010002'],
    ['2001:db8:1:2::5, 2001:db8:aaaa::1', '20010db800010002'],
    ['::ffff:198.51.100.1', '198.51.100.1'],
    ['fe80::1%eth0', 'fe80000000000000'],
    ['172.16.3.4', '172.16.3.4'],
  ])('behind trusted proxies is the rightmost untrusted of %j', (forwarded, client) => {
    expect(clientOf('10.1.2.3', forwarded)).toBe(client)
  })

  it.each(['1.1.1.1, 198.51.100.1', 'garbage, 198.51.100.1', '10.9.9.9, 1.1.1.1, 198.51.100.1'])(
    'is not what the client sent itself: %j',
    (forged) => {
      expect(clientOf('10.1.2.3', forged)).toBe('198.51.100.1')
    },
  )

  it.each(['unknown', '_hidden', '1.2.3', '0x7f.1', '010.0.0.1', '1.2.3.4.5', '[::1', '-', '\0'])(
    'is the proxy that added a malformed address: %j',
    (malformed) => {
      expect(clientOf('10.1.2.3', `198.51.100.1, ${malformed}`)).toBe('10.1.2.3')
    },
  )

  it('is the furthest proxy of a chain of trusted ones', () => {
    expect(clientOf('10.1.2.3', '10.7.7.7, 10.8.8.8')).toBe('10.7.7.7')
  })

  it('is one /64 for all its IPv6 addresses', () => {
    const hosts = Array.from({ length: 300 }, (_, n) => `2001:db8:1:2:${n.toString(16)}::${n}`)
    expect(new Set(hosts.map((host) => clientOf(host))).size).toBe(1)
    expect(clientOf('2001:db8:1:3::1')).not.toBe(clientOf('2001:db8:1:2::1'))
  })

  it('is found in the same few steps in a header of any length', () => {
    const forged = `${'1.1.1.1, '.repeat(100_000)}198.51.100.1`
    expect(clientOf('10.1.2.3', forged)).toBe('198.51.100.1')
    expect(clientOf('10.1.2.3', `${'10.1.1.1,'.repeat(100_000)}10.1.1.1`)).toBe('10.1.1.1')
    expect(clientOf('10.1.2.3', 'x'.repeat(1_000_000))).toBe('10.1.2.3')
  })

  it('is the same when its chain is cached, and of an unreadable peer', () => {
    const addresses = new ClientAddresses(proxies)
    const request = { client: '10.1.2.3', headers: { 'x-forwarded-for': '198.51.100.1' } }
    expect([addresses.of(request), addresses.of(request)]).toEqual(['198.51.100.1', '198.51.100.1'])
    expect(clientOf('')).toBe('unknown')
  })

  it(`never depends on what precedes an untrusted entry (seed ${seed})`, () => {
    const entry = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.string(),
      fc.constantFrom('10.0.0.1', '192.0.2.7', '::1', 'unknown', ''),
    )
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 20 }), fc.ipV4(), (forged, peer) => {
        const client = new ClientAddresses(['10.0.0.0/8', '192.0.2.7']).of({
          client: '10.0.0.9',
          headers: { 'x-forwarded-for': [...forged, `203.0.113.5`, '192.0.2.7'].join(',') },
        })
        expect(client).toBe('203.0.113.5')
        expect(clientOf(peer, forged.join(','), [])).toBe(peer)
      }),
      { seed },
    )
  })
})
