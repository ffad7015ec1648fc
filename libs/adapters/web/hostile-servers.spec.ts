import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Web, WebFailure, WebResult } from '../../ports/web.ts'
import { httpWeb } from './http-web.ts'
import {
  type Answer,
  allOf,
  type LocalServer,
  localServer,
  response,
} from './testing/local-servers.ts'

const limits = { timeoutMs: 10_000, headBytesMax: 4_096, bytesMax: 65_536 }
const mebibyte = 1_024 * 1_024
const signal = new AbortController().signal

let server: LocalServer
let web: Web
let answer: Answer

beforeEach(async () => {
  server = await localServer((socket, head) => {
    if (head.startsWith('GET /well ')) socket.end(response('well'))
    else answer(socket, head)
  })
  web = httpWeb({ trusted: allOf(server.origin), limits })
})
afterEach(async () => {
  await web.close()
  await server.close()
})

/** After each attack the connection is closed, and the next fetch is as good as ever. */
async function resultOf(attack: Answer, client = web): Promise<WebResult> {
  answer = attack
  const result = await client.fetch(`${server.origin}/attack`, signal)
  await server.closed()
  const well = await client.fetch(`${server.origin}/well`, signal)
  expect(well).toMatchObject({ kind: 'fetched', bytes: new Uint8Array(Buffer.from('well')) })
  return result
}

const says =
  (...parts: (string | Uint8Array)[]): Answer =>
  (socket) =>
    socket.end(Buffer.concat(parts.map((part) => Buffer.from(part))))

/** Sends without end, as fast as it is read. */
function flood(socket: Socket, piece: string | Uint8Array): void {
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', more)
  more()
}

const floods =
  (start: string, piece: string | Uint8Array): Answer =>
  (socket) => {
    socket.write(start)
    flood(socket, piece)
  }

const ok = 'HTTP/1.1 200 OK\r\n'
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`
const packed = (encoding: string, body: Uint8Array): Answer =>
  says(`${ok}Content-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n`, body)
const zeros = Buffer.alloc(4 * mebibyte)
const packedZeros = gzipSync(zeros)

describe('a hostile server', () => {
  it.each<[string, WebFailure, Answer]>([
    ['closes at once', 'broken-response', (socket) => socket.end()],
    ['resets the connection', 'broken-response', (socket) => socket.resetAndDestroy()],
    ['speaks another protocol', 'broken-response', says('220 mail.example ESMTP\r\n')],
    ['sends only bytes', 'broken-response', says(Buffer.alloc(1_000, 0xff))],
    ['sends no head', 'broken-response', says('\r\n\r\n')],
    ['speaks HTTP/0.9', 'broken-response', says('<html>')],
    ['speaks HTTP/2', 'broken-response', says(Buffer.from('000000040000000000', 'hex'))],
    ['sends a status that is none', 'broken-response', says('HTTP/1.1 abc OK\r\n\r\n')],
    ['sends a field without a colon', 'broken-response', says(`${ok}field\r\n\r\n`)],
    ['sends NUL in a field', 'broken-response', says(`${ok}Field: a\0b\r\n\r\n`)],
    ['sends NUL in a name', 'broken-response', says(`${ok}Fie\0ld: a\r\n\r\n`)],
    ['folds a line', 'broken-response', says(`${ok}Field: a\r\n b\r\nContent-Length: x\r\n\r\n`)],
    [
      'has two lengths',
      'broken-response',
      says(`${ok}Content-Length: 1\r\nContent-Length: 2\r\n\r\na`),
    ],
    ['has a negative length', 'broken-response', says(`${ok}Content-Length: -1\r\n\r\n`)],
    ['has a length of words', 'broken-response', says(`${ok}Content-Length: two\r\n\r\n`)],
    [
      'has a length and chunks',
      'broken-response',
      says(`${ok}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
    ],
    ['ends its body early', 'broken-response', says(`${ok}Content-Length: 10\r\n\r\nabc`)],
    [
      'resets within the body',
      'broken-response',
      (socket) => {
        socket.write(`${ok}Content-Length: 10\r\n\r\nabc`, () => socket.resetAndDestroy())
      },
    ],
    ['sends a chunk of no size', 'broken-response', says(`${chunked}zz\r\nabc\r\n0\r\n\r\n`)],
    ['sends a chunk of the wrong size', 'broken-response', says(`${chunked}2\r\nabc\r\n0\r\n\r\n`)],
    ['ends before the last chunk', 'broken-response', says(`${chunked}3\r\nabc\r\n`)],
    ['announces an endless chunk', 'broken-response', says(`${chunked}ffffffffffffffff1\r\nabc`)],
    [
      'switches protocols',
      'broken-response',
      says('HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n'),
    ],
    ['continues what was not asked', 'broken-response', says('HTTP/1.1 100 Continue\r\n\r\n')],
    [
      'sends interim responses without end',
      'broken-response',
      floods('', 'HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n'.repeat(100)),
    ],
    ['sends a status without end', 'too-large', floods('HTTP/1.1 200 ', 'a'.repeat(1_024))],
    ['sends fields without end', 'too-large', floods(ok, 'Field: value\r\n'.repeat(1_000))],
    ['sends a field without end', 'too-large', floods(`${ok}Field: `, 'a'.repeat(1_024))],
    ['sends a name without end', 'too-large', floods(ok, 'a'.repeat(1_024))],
    [
      'sends a head that is too large',
      'too-large',
      says(`${ok}Field: ${'a'.repeat(5_000)}\r\n\r\n`),
    ],
    [
      'sends trailers without end',
      'too-large',
      floods(`${chunked}0\r\n`, 'Field: value\r\n'.repeat(1_000)),
    ],
    ['sends a body without end', 'too-large', floods(`${ok}\r\n`, Buffer.alloc(65_536))],
    ['sends chunks without end', 'too-large', floods(chunked, '1\r\na\r\n'.repeat(10_000))],
    ['announces a large body', 'too-large', says(`${ok}Content-Length: 65537\r\n\r\n`)],
    [
      'announces an enormous body',
      'too-large',
      says(`${ok}Content-Length: 99999999999999999\r\n\r\n`),
    ],
    ['packs zeros with gzip', 'too-large', packed('gzip', packedZeros)],
    ['packs zeros with deflate', 'too-large', packed('deflate', deflateSync(zeros))],
    ['packs zeros with Brotli', 'too-large', packed('br', brotliCompressSync(zeros))],
    ['packs zeros twice', 'encoding', packed('gzip, gzip', gzipSync(packedZeros))],
    [
      'packs many members',
      'too-large',
      packed(
        'gzip',
        Buffer.concat(Array.from({ length: 100 }, () => gzipSync(Buffer.alloc(1_000)))),
      ),
    ],
    [
      'packs nothing without end',
      'too-large',
      floods(
        `${ok}Content-Encoding: gzip\r\n\r\n`,
        Buffer.concat(Array.from({ length: 1_000 }, () => gzipSync(''))),
      ),
    ],
    ['packs nonsense', 'encoding', packed('gzip', Buffer.from('no gzip'))],
    ['packs nonsense as Brotli', 'encoding', packed('br', Buffer.alloc(100, 0xff))],
    ['packs without a header of zlib', 'encoding', packed('deflate', Buffer.from('no deflate'))],
    [
      'packs half a document',
      'encoding',
      packed('gzip', gzipSync(Buffer.alloc(1_000)).subarray(0, 15)),
    ],
    [
      'packs half a document with Brotli',
      'encoding',
      packed('br', brotliCompressSync(Buffer.from('half a document')).subarray(0, 9)),
    ],
    ['names an unknown encoding', 'encoding', packed('zstd', Buffer.alloc(10))],
    ['names a property of objects', 'encoding', packed('constructor', Buffer.alloc(10))],
    [
      'repeats the encoding in two fields',
      'encoding',
      says(`${ok}Content-Encoding: gzip\r\nContent-Encoding: br\r\n\r\n`),
    ],
    ['answers 204', 'status', says('HTTP/1.1 204 No Content\r\n\r\n')],
    ['answers 206', 'status', says(response('part', [], '206 Partial Content'))],
    ['answers 304', 'status', says('HTTP/1.1 304 Not Modified\r\n\r\n')],
    [
      'answers 404 with a body without end',
      'status',
      floods('HTTP/1.1 404 Not Found\r\n\r\n', zeros),
    ],
    ['answers 999', 'status', says(response('', [], '999 No'))],
    ['redirects to nowhere', 'status', says(response('', [], '302 Found'))],
    [
      'redirects to two places',
      'status',
      says(response('', ['Location: /a', 'Location: /b'], '302 Found')),
    ],
    [
      'redirects to bytes',
      'redirects',
      says(Buffer.from(response('', ['Location: /\xff\xfe'], '302 Found'), 'latin1')),
    ],
    [
      'redirects to itself',
      'redirects',
      says(response('', ['Location: /attack'], '308 Permanent')),
    ],
  ])('that %s is a failure (%s)', async (_, reason, attack) => {
    const result = await resultOf(attack)
    expect(result).toMatchObject({ kind: 'failed', reason })
    expect(result).toHaveProperty('sentence', expect.stringMatching(/^127\.0\.0\.1:\d+: [ -~]+$/))
  })

  it.each<[string, string]>([
    [
      'sends properties of objects',
      '__proto__: a\r\n__proto__: b\r\nconstructor: c\r\ntoString: d\r\n',
    ],
    ['sets cookies', 'Set-Cookie: a=b\r\nSet-Cookie: c=d\r\n'],
  ])('that %s changes nothing', async (_, fields) => {
    const body = says(`${ok}${fields}Content-Length: 2\r\n\r\n{}`)
    expect(await resultOf(body)).toMatchObject({ kind: 'fetched', mediaType: null })
    expect(server.heads.join('')).not.toMatch(/cookie/i)
  })

  it('that sends a second response is not listened to', async () => {
    const twice = says(response('first'), response('second'))
    const result = await resultOf(twice)
    expect(result).toMatchObject({ bytes: new Uint8Array(Buffer.from('first')) })
  })

  it('that sends each byte alone costs no more than its bytes', async () => {
    const alone = says(chunked, '1\r\na\r\n'.repeat(60_000), '0\r\n\r\n')
    const result = await resultOf(alone)
    expect(result).toMatchObject({ kind: 'fetched', bytes: { length: 60_000 } })
    if (result.kind === 'fetched') expect(result.bytes.buffer.byteLength).toBe(60_000)
  })

  it('that sends a gigabyte is stopped after the bound', async () => {
    const chunk = `10000\r\n${'a'.repeat(65_536)}\r\n`
    let chunks = 0
    const gigabyte: Answer = (socket) => {
      const more = () => {
        while (!socket.destroyed && chunks < 16_384 && ++chunks && socket.write(chunk));
      }
      socket.write(chunked)
      socket.on('drain', more)
      more()
    }
    expect(await resultOf(gigabyte)).toMatchObject({ reason: 'too-large' })
    // The rest is in the buffers of the two sockets.
    expect(chunks).toBeLessThan(1_024)
  })

  it('that packs a gigabyte of zeros is stopped after the bound', async () => {
    // Members of gzip may follow each other: 1 GiB decompressed.
    const bomb = Buffer.concat(Array.from({ length: 256 }, () => packedZeros))
    const roomy = httpWeb({
      trusted: allOf(server.origin),
      limits: { ...limits, bytesMax: 2 * mebibyte },
    })
    expect(bomb.length).toBeLessThan(2 * mebibyte)
    const before = process.memoryUsage().arrayBuffers
    expect(await resultOf(packed('gzip', bomb), roomy)).toMatchObject({ reason: 'too-large' })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * mebibyte)
    await roomy.close()
  })
})

describe('a slow server', () => {
  const noise = randomBytes(60_000)
  /** Sends a byte at a time, for much longer than anybody waits. */
  const drips =
    (start: string, sent: Uint8Array = Buffer.alloc(60_000, 'a')): Answer =>
    (socket) => {
      socket.write(start)
      let at = 0
      const timer = setInterval(() => socket.write(sent.subarray(at, ++at)), 5)
      socket.on('close', () => clearInterval(timer))
    }

  it.each<[string, Answer]>([
    ['never answers', () => {}],
    ['drips its status', drips('HTTP/1.1 200 ')],
    ['drips its head', drips(`${ok}Field: `)],
    ['drips its body', drips(`${ok}\r\n`)],
    ['drips a body of known length', drips(`${ok}Content-Length: 60000\r\n\r\n`)],
    ['drips what is packed', drips(`${ok}Content-Encoding: gzip\r\n\r\n`, gzipSync(noise))],
    ['drips the size of a chunk', drips(`${chunked}1;`)],
    [
      'redirects slowly',
      (socket) => {
        const found = response('', ['Location: /attack'], '302 Found')
        const timer = setTimeout(() => socket.end(found), 60)
        socket.on('close', () => clearTimeout(timer))
      },
    ],
  ])('that %s is left after the whole time', async (_, attack) => {
    const impatient = httpWeb({
      trusted: allOf(server.origin),
      limits: { ...limits, timeoutMs: 150 },
    })
    answer = attack
    const result = await impatient.fetch(`${server.origin}/attack`, signal)
    expect(result).toMatchObject({
      reason: 'timed-out',
      sentence: expect.stringContaining('no whole document within 150 ms'),
    })
    await server.closed()
    await impatient.close()
    answer = says(response('well'))
    expect(await web.fetch(`${server.origin}/attack`, signal)).toMatchObject({ kind: 'fetched' })
  })

  it('that is left by its caller is no failure', async () => {
    const caller = new AbortController()
    answer = () => caller.abort(new Error('the caller stops'))
    await expect(web.fetch(`${server.origin}/attack`, caller.signal)).rejects.toThrow(
      'the caller stops',
    )
    await server.closed()
    await expect(web.fetch(`${server.origin}/attack`, caller.signal)).rejects.toThrow(
      'the caller stops',
    )
    expect(server.connections).toBe(1)
  })

  it('does not keep a client that is closed', async () => {
    const reached = new Promise<void>((resolve) => {
      answer = () => resolve()
    })
    const pending = expect(web.fetch(`${server.origin}/attack`, signal)).rejects.toThrow('closed')
    await reached
    await web.close()
    await pending
    await server.closed()
    await expect(web.fetch(`${server.origin}/attack`, signal)).rejects.toThrow('closed')
    expect(server.connections).toBe(1)
  })
})
