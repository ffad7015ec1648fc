import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { version } from '../../signals/version.ts'
import type { Connect } from './connect-to.ts'
import { FetchFailure } from './fetch-failure.ts'
import { httpWeb } from './http-web.ts'
import { everywhere } from './testing/everywhere.ts'
import {
  type Answer,
  allOf,
  type LocalServer,
  localServer,
  response,
  trap,
} from './testing/local-servers.ts'

const signal = new AbortController().signal
const publicAddress = '93.184.215.14'

let server: LocalServer
let answer: Answer

beforeEach(async () => {
  answer = (socket) => socket.end(response('{}'))
  server = await localServer((socket, head) => answer(socket, head))
})
afterEach(() => server.close())

const trusting = (options: Parameters<typeof httpWeb>[0] = {}) =>
  httpWeb({ trusted: allOf(server.origin), ...options })

const pathOf = (head: string) => head.split(' ')[1] ?? ''
const seeOther = (location: string) => response('', [`Location: ${location}`], '303 See Other')

describe('a fetch', () => {
  it('sends who asks, what is accepted, and nothing else', async () => {
    await trusting().fetch(`${server.origin}/a%20b/ü?c=d&e#f`, signal)
    expect(server.heads[0]?.split('\r\n').toSorted()).toEqual(
      [
        'GET /a%20b/%C3%BC?c=d&e HTTP/1.1',
        `host: 127.0.0.1:${server.port}`,
        'connection: close',
        'accept: */*',
        'accept-encoding: gzip, deflate, br',
        `user-agent: foldscan/${version}`,
        '',
        '',
      ].toSorted(),
    )
  })

  it.each<[string, string | null]>([
    ['application/json', 'application/json'],
    ['Application/LD+JSON ; charset=utf-8; a="b;c"', 'application/ld+json'],
    ['image/svg+xml;', 'image/svg+xml'],
    ['', null],
    ['json', null],
    ['a b/c', null],
    ['text/html, image/png', null],
    [`text/${'a'.repeat(250)}`, `text/${'a'.repeat(250)}`],
    [`text/${'a'.repeat(251)}`, null],
  ])('reads Content-Type: %s', async (sent, mediaType) => {
    answer = (socket) => socket.end(response('{}', [`Content-Type: ${sent}`]))
    const url = `${server.origin}/`
    const bytes = new Uint8Array(Buffer.from('{}'))
    expect(await trusting().fetch(url, signal)).toEqual({ kind: 'fetched', bytes, mediaType, url })
  })

  it('takes no media type of two', async () => {
    const fields = ['Content-Type: text/html', 'Content-Type: text/html']
    answer = (socket) => socket.end(response('{}', fields))
    expect(await trusting().fetch(server.origin, signal)).toMatchObject({ mediaType: null })
  })

  it.each([
    ['gzip', gzipSync],
    ['X-GZip', gzipSync],
    ['identity, gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (text: string) => Buffer.from(text)],
  ])('decodes %s', async (encoding, encode) => {
    const text = 'document '.repeat(20_000)
    const body = encode(text)
    answer = (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\n\r\n`)
      socket.end(body)
    }
    const result = await trusting().fetch(server.origin, signal)
    if (result.kind !== 'fetched') throw new Error('no document')
    expect(Buffer.from(result.bytes).toString()).toBe(text)
  })

  it('takes a document of exactly the bound, and an empty one', async () => {
    const web = trusting({ limits: { bytesMax: 20_000 } })
    for (const length of [20_000, 0]) {
      answer = (socket) => socket.end(response('a'.repeat(length)))
      expect(await web.fetch(server.origin, signal)).toMatchObject({ bytes: { length } })
    }
    answer = (socket) => socket.end(response('a'.repeat(20_001)))
    expect(await web.fetch(server.origin, signal)).toMatchObject({ reason: 'too-large' })
  })

  it('follows as many redirects as are allowed, of each kind, to its last URL', async () => {
    const statuses = [301, 302, 303, 307, 308]
    answer = (socket, head) => {
      const at = Number(/^\/(\d+)\?a$/.exec(pathOf(head))?.[1])
      const status = statuses[at]
      const location = [`Location: ../${at + 1}?a#b`]
      socket.end(status ? response('', location, `${status} Elsewhere`) : response('{}'))
    }
    const last = { kind: 'fetched', url: `${server.origin}/5?a` }
    expect(await trusting().fetch(`${server.origin}/0?a`, signal)).toMatchObject(last)
    const fewer = trusting({ limits: { redirectsMax: 4 } })
    expect(await fewer.fetch(`${server.origin}/0?a`, signal)).toMatchObject({
      reason: 'redirects',
      sentence: `127.0.0.1:${server.port}: more than 4 redirects`,
    })
  })

  it('reads a target in UTF-8', async () => {
    answer = (socket, head) =>
      socket.end(Buffer.from(pathOf(head) === '/' ? seeOther('/ü') : response('{}')))
    expect(await trusting().fetch(server.origin, signal)).toMatchObject({
      url: `${server.origin}/%C3%BC`,
    })
  })

  it('passes by the proxies of the environment', async () => {
    const proxy = await trap()
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'HTTPS_PROXY', 'https_proxy']) {
      vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`)
    }
    vi.stubEnv('NODE_USE_ENV_PROXY', '1')
    try {
      expect(await trusting().fetch(server.origin, signal)).toMatchObject({ kind: 'fetched' })
      expect(proxy.connections()).toBe(0)
    } finally {
      vi.unstubAllEnvs()
      await proxy.close()
    }
  })
})

describe('a host of strangers', () => {
  it('is resolved once for a request, and connected to at the addresses that were checked', async () => {
    const { connect, allowed } = everywhere(server)
    // Public at first, then private: what a check and a later connection would see.
    const answers = [[publicAddress, '2606:4700::1111'], ['127.0.0.1'], ['127.0.0.1']]
    const asked: string[] = []
    const resolve = async (host: string) => {
      asked.push(host)
      return answers.shift() ?? []
    }
    const web = httpWeb({ resolve, connect })
    expect(await web.fetch('http://rebinding.example/', signal)).toMatchObject({ kind: 'fetched' })
    expect(allowed).toEqual([[publicAddress, '2606:4700::1111']])
    expect(await web.fetch('http://rebinding.example/', signal)).toMatchObject({
      reason: 'private-address',
      sentence: 'rebinding.example: the host has an address that is not public',
    })
    expect(asked).toEqual(['rebinding.example', 'rebinding.example'])
    expect(allowed.length).toBe(1)
    expect(server.heads[0]).toContain('host: rebinding.example\r\n')
  })

  it('is resolved and checked again when it redirects to itself', async () => {
    const { connect, allowed } = everywhere(server)
    const answers = [[publicAddress], ['10.0.0.1']]
    const web = httpWeb({ resolve: async () => answers.shift() ?? [], connect })
    answer = (socket) => socket.end(seeOther('/again'))
    const result = await web.fetch('http://rebinding.example/', signal)
    expect(result).toMatchObject({ reason: 'private-address' })
    expect(allowed).toEqual([[publicAddress]])
  })

  it('may redirect from https to http, which is checked like any other URL', async () => {
    const { connect } = everywhere(server)
    const first: Connect = ({ url, ...to }, signal) =>
      connect({ ...to, url: new URL(`http://${url.host}`) }, signal)
    const addresses: Record<string, string> = { 'private.example': '10.0.0.1' }
    const resolve = async (host: string) => [addresses[host] ?? publicAddress]
    const web = httpWeb({ resolve, connect: first })
    answer = (socket, head) =>
      socket.end(pathOf(head) === '/' ? seeOther('http://b.example/b') : response('{}'))
    expect(await web.fetch('https://a.example/', signal)).toMatchObject({
      url: 'http://b.example/b',
    })
    answer = (socket) => socket.end(seeOther('http://private.example/b'))
    expect(await web.fetch('https://a.example/', signal)).toMatchObject({
      reason: 'private-address',
    })
  })

  it('has all of its addresses checked, and a few of them tried', async () => {
    const { connect, allowed } = everywhere(server)
    const many = Array.from({ length: 100 }, (_, at) => `93.184.215.${at}`)
    let addresses = many
    const web = httpWeb({ resolve: async () => addresses, connect })
    await web.fetch('http://many.example/', signal)
    expect(allowed).toEqual([many.slice(0, 8)])
    addresses = [...many, '192.168.0.1']
    expect(await web.fetch('http://many.example/', signal)).toMatchObject({
      reason: 'private-address',
    })
  })

  it('is no longer trusted where a trusted origin redirects to another of its ports', async () => {
    const other = await trap()
    answer = (socket) => socket.end(seeOther(`http://127.0.0.1:${other.port}/`))
    expect(await trusting().fetch(server.origin, signal)).toMatchObject({
      reason: 'private-address',
    })
    expect(other.connections()).toBe(0)
    await other.close()
  })

  it('whose name servers never answer is left after the whole time', async () => {
    const resolve = () => new Promise<never>(() => {})
    const web = httpWeb({ resolve, limits: { timeoutMs: 20 } })
    expect(await web.fetch('http://slow.example/', signal)).toMatchObject({ reason: 'timed-out' })
    const caller = new AbortController()
    const left = expect(web.fetch('http://slow.example/', caller.signal)).rejects.toThrow('enough')
    caller.abort(new Error('enough'))
    await left
  })
})

describe('a trusted beginning', () => {
  it.each([
    'gateway.example',
    'ftp://gateway.example',
    'http://gateway.example/path',
    'http://gateway.example/?q=/',
    'http://u:p@a',
  ])('is not %s', (text) => expect(() => httpWeb({ trusted: allOf(text) })).toThrow(/trusted|URL/))

  it.each(['/', '/ipfs', '/other/ipfs/x', '/ipfs/../x', '/ipfs/%2e%2E/x', '/IPFS/x'])(
    'does not trust %s beside it',
    async (path) => {
      const web = httpWeb({ trusted: allOf(`${server.origin}/ipfs/`) })
      const beside = await web.fetch(server.origin + path, signal)
      expect(beside).toMatchObject({ reason: expect.stringMatching(/^(private-address|port)$/) })
      expect(await web.fetch(`${server.origin}/ipfs/x`, signal)).toMatchObject({ kind: 'fetched' })
    },
  )

  const named = () =>
    httpWeb({ trusted: [{ beginning: `${server.origin}/ipfs/`, segment: /^c[a-z0-9]*$/ }] })

  it.each([
    ...['..%2fadmin', 'cid/..%2Fadmin', 'cid/..%2f..%2fadmin', 'cid/%2e%2e%2fadmin', '..%5cadmin'],
    ...['cid/..%5Cadmin', 'cid%2f..%2fadmin', 'cid/a%2fb', 'cid/a%5cb', 'cid/a%00', 'cid%00/a'],
    // Escaped twice, three times, more often than is looked at.
    ...['cid/..%252fadmin', 'cid/%252e%252e/admin', 'cid/%25%32%65%252e/admin', '%252e%252e/admin'],
    ...['cid/%2525252e%2525252e/admin', `cid/%${'25'.repeat(9)}2e%${'25'.repeat(9)}2e/admin`],
    ...['cid/..;/admin', 'cid/..;a=b/../..;/admin', 'cid/%2e%2e;/admin', 'cid/%252e%252e'],
    // Another name than one of a content.
    ...['', '?cid', '/cid', 'admin', 'cid%61', 'Cid', 'cid;/a', 'cid.', 'cid@a', 'a/../cid.d'],
  ])('does not trust %s after it', async (path) => {
    const result = await named().fetch(`${server.origin}/ipfs/${path}`, signal)
    expect(result).toMatchObject({ reason: 'private-address' })
    expect(server.connections).toBe(0)
  })

  it.each([
    ...[
      'cid',
      'cid/',
      'cid?a=b',
      'cid/?a=..%2f',
      'cid/1.json',
      'cid/..a/b..',
      'cid/.../a',
      'cid/a..',
    ],
    ...[
      'cid/100%25',
      'cid/%2525',
      'cid/%',
      'cid/%zz',
      'cid/%C3%BC',
      'cid/a%20b;c',
      'x/../cid/a#..%2f',
    ],
  ])('trusts %s after it', async (path) => {
    const result = await named().fetch(`${server.origin}/ipfs/${path}`, signal)
    expect(result).toMatchObject({ kind: 'fetched' })
  })

  it('does not trust a climb that one of its URLs redirects to', async () => {
    answer = (socket) => socket.end(seeOther('/ipfs/cid/..%2fadmin'))
    const result = await named().fetch(`${server.origin}/ipfs/cid`, signal)
    expect(result).toMatchObject({ reason: 'private-address' })
    expect(server.heads.map(pathOf)).toEqual(['/ipfs/cid'])
  })

  it('that is not there is unreachable', async () => {
    await server.close()
    expect(await trusting().fetch(server.origin, signal)).toMatchObject({
      reason: 'unreachable',
      sentence: expect.stringContaining('ECONNREFUSED'),
    })
    server = await localServer(answer)
  })
})

describe('a sentence', () => {
  it('is short and has no control characters, whatever a server says', () => {
    const words = `\u0000\n\u202e\ud800${'a'.repeat(1_000)}😀`
    const { sentence } = new FetchFailure('tls', words).asResult('h'.repeat(8_000))
    expect(sentence.length).toBeLessThanOrEqual(1_024)
    expect(sentence).toMatch(/^h{255}: a+$/)
  })
})
