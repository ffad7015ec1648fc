import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { clickhouseStore } from '../../libs/adapters/clickhouse/clickhouse-store.ts'
import {
  ResultTooLarge,
  StoreBehind,
  StoreDenied,
  StoreFailed,
  StoreMissing,
  StoreUnavailable,
} from '../../libs/ports/store.ts'
import { until } from '../support/until.ts'
import { BrokenServer, failing, head, summary, text, whole } from './broken-server.ts'

const minuteMs = 60_000
const broken = new BrokenServer()

it('a question whose socket was reset is asked once more', async () => {
  const asked = await broken.serve((socket, request) => {
    if (request === 1) socket.resetAndDestroy()
    else whole(socket)
  })
  expect([...(await asked.query('SELECT 1', {}))]).toEqual([1, 2, 3, 4])
  expect(broken.requests).toBe(2)
})

it('a question that is reset twice is unavailable, and not asked a third time', async () => {
  const asked = await broken.serve((socket) => socket.resetAndDestroy())
  await expect(asked.query('SELECT 1', {})).rejects.toBeInstanceOf(StoreUnavailable)
  expect(broken.requests).toBe(2)
})

it.each([
  ['is behind', 395, StoreBehind],
  ['lacks the table', 60, StoreMissing],
  ['lacks the database', 81, StoreMissing],
])(
  'the question after one to a server that %s goes by another connection',
  async (_, code, kind) => {
    const body = `Code: ${code}. DB::Exception: Cannot do it. (NAME_OF_IT)`
    const fields = `x-clickhouse-exception-code: ${code}\r\ncontent-length: ${body.length}\r\n`
    const asked = await broken.serve((socket, connection) => {
      if (connection === 1) socket.write(`HTTP/1.1 500 Failed\r\n${fields}\r\n${body}`)
      else whole(socket)
    })
    await expect(asked.query('SELECT 1', {})).rejects.toBeInstanceOf(kind)
    expect([...(await asked.query('SELECT 1', {}))]).toEqual([1, 2, 3, 4])
    expect(broken.requests).toBe(2)
  },
)

it('a statement that is reset is not done twice', async () => {
  const asked = await broken.serve((socket) => socket.resetAndDestroy())
  await expect(asked.execute('DROP TABLE x')).rejects.toBeInstanceOf(StoreUnavailable)
  expect(broken.requests).toBe(1)
})

it('an answer that is cut is unavailable, not short', async () => {
  const asked = await broken.serve((socket) => socket.end(`${head}\u0001\u0002`))
  await expect(asked.query('SELECT 1', {})).rejects.toBeInstanceOf(StoreUnavailable)
})

describe('every error names the server, its address and what was asked', () => {
  it.each([
    ['silence', broken.silent, /^ClickHouse at URL did not answer within 2050 ms \(query\)$/],
    [
      'a reset',
      (socket: Socket) => socket.resetAndDestroy(),
      /^ClickHouse at URL closed the connection \(query: ECONNRESET .*\)$/,
    ],
    [
      'an answer that is cut',
      (socket: Socket) => socket.end(`${head}\u0001`),
      /^ClickHouse at URL closed the connection \(query: .*\)$/,
    ],
    [
      'an answer of a proxy',
      text('502 Bad Gateway', '', '<html>\n502</html>'),
      /^ClickHouse at URL does not respond like ClickHouse \(query: <html> 502<\/html>\)$/,
    ],
    [
      'no HTTP',
      (socket: Socket) => socket.end('\u0000\u0001'),
      /^ClickHouse at URL does not respond like ClickHouse \(query: .*\)$/,
    ],
    [
      'an error that passes',
      failing(241),
      /^ClickHouse at URL cannot answer now: the memory for statements is used up \(query\)$/,
    ],
  ])('%s', async (_, answer, form) => {
    const asked = await broken.serve(answer)
    const error = await asked.query('SELECT 1', {}).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(StoreUnavailable)
    expect(
      String(error)
        .replace(/^\w+: /, '')
        .replace(/http:[^ ]+/, 'URL'),
    ).toMatch(form)
  })

  it.each([
    [
      'nothing listens',
      StoreUnavailable,
      /cannot be reached: nothing listens there \(ping: .*ECONNREFUSED/,
    ],
  ])('%s', async (_, kind, form) => {
    const asked = await broken.serve(whole)
    await broken.stop()
    const error = await asked.ping().catch((error: unknown) => error)
    expect(error).toBeInstanceOf(kind)
    expect(String(error)).toMatch(form)
  })

  it.each([
    [516, StoreDenied],
    [60, StoreMissing],
    [49, StoreFailed],
    [62, StoreFailed],
    [439, StoreUnavailable],
    [1_002, StoreFailed],
  ])('error code %i', async (code, kind) => {
    const asked = await broken.serve(failing(code))
    const error = await asked.query('SELECT 1', {}).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(kind)
    expect(String(error)).toMatch(/ClickHouse at http:\/\/127\.0\.0\.1:\d+ /)
  })
})

describe('connections of queries', () => {
  const ok = `HTTP/1.1 200 OK\r\n${summary({ result_rows: 1 })}`
  const kept = `${ok}content-length: 1\r\n\r\n\u0001`

  it('serve one query after the other, and are closed when they are idle', async () => {
    const closed: Socket[] = []
    let connections = 0
    const asked = await broken.serve((socket) => {
      connections += 1
      socket.on('close', () => closed.push(socket))
      socket.on('data', () => socket.write(kept))
      socket.write(kept)
    })
    for (let query = 1; query <= 3; query++) await asked.query('SELECT 1', {})
    expect([connections, closed.length]).toEqual([1, 0])
    await until('the idle connection is closed', () => closed.length === 1)
  })

  it('serve no other query after a response that was not read to its end', async () => {
    let connections = 0
    const asked = await broken.serve((socket) => {
      connections += 1
      if (connections > 1) whole(socket)
      else socket.write(`${ok}content-length: 1000\r\n\r\n\u0001\u0001`)
    }, minuteMs)
    const tooLarge = asked.query('SELECT 1', {}, { bytesMax: 1 })
    await expect(tooLarge).rejects.toBeInstanceOf(ResultTooLarge)
    expect([...(await asked.query('SELECT 1', {}))]).toEqual([1, 2, 3, 4])
  }, 10_000)

  it('are not read without end for an error', async () => {
    const asked = await broken.serve((socket) => {
      socket.write('HTTP/1.1 500 Internal Server Error\r\nconnection: close\r\n\r\n')
      socket.write('x'.repeat(2 * 1024 ** 2))
    }, minuteMs)
    const error = await asked.query('SELECT 1', {}).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(StoreUnavailable)
    expect(String(error)).toMatch(/does not respond like ClickHouse \(query: x+/)
  }, 10_000)

  it.each([
    ['of a known length', 'content-length: 4\r\n\r\n\u0001'],
    ['in chunks', 'transfer-encoding: chunked\r\n\r\n1\r\n\u0001\r\n'],
    ['that ends with its connection', 'connection: close\r\n\r\n\u0001'],
  ])('with a body %s that stops time out, and are not asked again', async (_, rest) => {
    const asked = await broken.serve((socket) => {
      broken.silent(socket)
      socket.write(`${ok}${rest}`)
    })
    const error = await asked.query('SELECT 1', {}).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(StoreUnavailable)
    expect(String(error)).toMatch(/did not answer within 2050 ms/)
    expect(broken.requests).toBe(1)
  })

  it('time out in all, though bytes still come', async () => {
    const asked = await broken.serve((socket) => {
      socket.write(`${ok}content-length: 1000\r\n\r\n`)
      const dripping = setInterval(() => socket.write('x'), 100)
      socket.on('close', () => clearInterval(dripping))
    })
    await expect(asked.query('SELECT 1', {})).rejects.toThrow('did not answer within 2050 ms')
    expect(broken.requests).toBe(1)
  }, 20_000)

  it('whose server switches protocols fail', async () => {
    const switching =
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'
    const asked = await broken.serve((socket) => void socket.write(switching), minuteMs)
    await expect(asked.query('SELECT 1', {})).rejects.toBeInstanceOf(StoreUnavailable)
  }, 10_000)

  it('are encrypted for any spelling of https', async () => {
    const plain = await broken.serve(text('400 Bad Request', '', 'no TLS'))
    const tls = clickhouseStore({ url: `HTTPS://127.0.0.1:${broken.port}`, database: 'x' })
    await expect(tls.query('SELECT 1', {})).rejects.toBeInstanceOf(StoreDenied)
    await tls.close()
    await plain.close()
  })

  it('are not asked again once the store is closed', async () => {
    const asked = await broken.serve(broken.silent, minuteMs)
    const given = asked.query('SELECT 1', {}).catch((error: unknown) => error)
    await until('the query was sent', () => broken.requests === 1)
    await asked.close()
    expect(await given).toBeInstanceOf(StoreUnavailable)
    expect(broken.requests).toBe(1)
  })
})

describe('a query that is given up', () => {
  it('ends at once with the reason of its signal, and frees its connection', async () => {
    const asked = await broken.serve((socket, request) =>
      request === 1 ? broken.silent(socket) : whole(socket),
    )
    const ending = new AbortController()
    const given = asked.query('SELECT 1', {}, { signal: ending.signal })
    await until('the query was sent', () => broken.requests === 1)
    ending.abort(new Error('nobody waits'))
    await expect(given).rejects.toThrow('nobody waits')
    expect([...(await asked.query('SELECT 1', {}))]).toEqual([1, 2, 3, 4])
  })

  it.each([head, head.replace('content-length: 4\r\n', '')])(
    'ends at once in the middle of its answer',
    async (begin) => {
      const asked = await broken.serve((socket) => {
        broken.silent(socket)
        socket.write(`${begin}\u0001`)
      })
      const ending = new AbortController()
      let isBegun = false
      const onCost = () => {
        isBegun = true
      }
      const given = asked.query('SELECT 1', {}, { signal: ending.signal, onCost })
      await until('the answer has begun', () => isBegun)
      ending.abort(new Error('nobody waits'))
      await expect(given).rejects.toThrow('nobody waits')
    },
  )

  it('pings all the same, past all that waits for a connection', async () => {
    const asked = await broken.serve((socket, request) =>
      request <= 1 ? broken.silent(socket) : whole(socket),
    )
    const waiting = Promise.allSettled([1, 2, 3].map(() => asked.query('SELECT 1', {})))
    await until('the query was sent', () => broken.requests === 1)
    await asked.ping()
    broken.release()
    await waiting
  })
})
