import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { clickhouseStore } from '../../libs/adapters/clickhouse/clickhouse-store.ts'
import {
  ResultTooLarge,
  type Store,
  StoreDenied,
  StoreFailed,
  StoreMissing,
  StoreUnavailable,
} from '../../libs/ports/store.ts'
import { until } from '../support/until.ts'

const minuteMs = 60_000
let server: Server
let store: Store
let requests = 0

/** A server that responds to its n-th request with `answer`. */
async function serve(
  answer: (socket: Socket, request: number, first: Buffer) => void,
  timeoutMs = 50,
): Promise<Store> {
  requests = 0
  server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (first) => {
      requests += 1
      answer(socket, requests, first)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  const port = bound !== null && typeof bound === 'object' ? bound.port : 0
  const url = `http://127.0.0.1:${port}`
  const timeouts = { queryTimeoutMs: timeoutMs, insertTimeoutMs: timeoutMs }
  store = clickhouseStore({ url, database: 'x', ...timeouts, maxConnections: 1 })
  return store
}

afterEach(async () => {
  await store.close()
  await new Promise((resolve) => server.close(resolve))
})

const head = 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 4\r\n\r\n'
const whole = (socket: Socket) => socket.end(`${head}\u0001\u0002\u0003\u0004`)

it('a question whose socket was reset is asked once more', async () => {
  const asked = await serve((socket, request) => {
    if (request === 1) socket.resetAndDestroy()
    else whole(socket)
  })
  expect([...(await asked.query('SELECT 1', {}))]).toEqual([1, 2, 3, 4])
  expect(requests).toBe(2)
})

it('a question that is reset twice is unavailable, and not asked a third time', async () => {
  const asked = await serve((socket) => socket.resetAndDestroy())
  await expect(asked.query('SELECT 1', {})).rejects.toBeInstanceOf(StoreUnavailable)
  expect(requests).toBe(2)
})

it('a statement that is reset is not done twice', async () => {
  const asked = await serve((socket) => socket.resetAndDestroy())
  await expect(asked.execute('DROP TABLE x')).rejects.toBeInstanceOf(StoreUnavailable)
  expect(requests).toBe(1)
})

it('an answer that is cut is unavailable, not short', async () => {
  const asked = await serve((socket) => socket.end(`${head}\u0001\u0002`))
  await expect(asked.query('SELECT 1', {})).rejects.toBeInstanceOf(StoreUnavailable)
})

const text = (status: string, code: string, body: string) => (socket: Socket) =>
  socket.end(
    `HTTP/1.1 ${status}\r\nconnection: close\r\n${code}content-length: ${body.length}\r\n\r\n${body}`,
  )
const failing = (code: number) =>
  text(
    '500 Internal Server Error',
    `x-clickhouse-exception-code: ${code}\r\n`,
    `Code: ${code}. DB::Exception: Cannot do it. (NAME_OF_IT) (version 26.7)`,
  )
const sockets: Socket[] = []
const silent = (socket: Socket) => void sockets.push(socket)
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

describe('every error names the server, its address and what was asked', () => {
  it.each([
    ['silence', silent, /^ClickHouse at URL did not answer within 2050 ms \(query\)$/],
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
    const asked = await serve(answer)
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
    const asked = await serve(whole)
    await new Promise((resolve) => server.close(resolve))
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
    const asked = await serve(failing(code))
    const error = await asked.query('SELECT 1', {}).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(kind)
    expect(String(error)).toMatch(/ClickHouse at http:\/\/127\.0\.0\.1:\d+ /)
  })
})

describe('connections of queries', () => {
  const kept = 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n\u0001'

  it('serve one query after the other, and are closed when they are idle', async () => {
    const closed: Socket[] = []
    let connections = 0
    const asked = await serve((socket) => {
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
    const asked = await serve((socket) => {
      connections += 1
      if (connections > 1) whole(socket)
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n\u0001\u0001')
    }, minuteMs)
    const tooLarge = asked.query('SELECT 1', {}, { bytesMax: 1 })
    await expect(tooLarge).rejects.toBeInstanceOf(ResultTooLarge)
    expect([...(await asked.query('SELECT 1', {}))]).toEqual([1, 2, 3, 4])
  }, 10_000)

  it('are not read without end for an error', async () => {
    const asked = await serve((socket) => {
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
    const asked = await serve((socket) => {
      silent(socket)
      socket.write(`HTTP/1.1 200 OK\r\n${rest}`)
    })
    const error = await asked.query('SELECT 1', {}).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(StoreUnavailable)
    expect(String(error)).toMatch(/did not answer within 2050 ms/)
    expect(requests).toBe(1)
  })

  it('time out in all, though bytes still come', async () => {
    const asked = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n')
      const dripping = setInterval(() => socket.write('x'), 100)
      socket.on('close', () => clearInterval(dripping))
    })
    await expect(asked.query('SELECT 1', {})).rejects.toThrow('did not answer within 2050 ms')
    expect(requests).toBe(1)
  }, 20_000)

  it('whose server switches protocols fail', async () => {
    const switching =
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'
    const asked = await serve((socket) => void socket.write(switching), minuteMs)
    await expect(asked.query('SELECT 1', {})).rejects.toBeInstanceOf(StoreUnavailable)
  }, 10_000)

  it('are encrypted for any spelling of https', async () => {
    const plain = await serve(text('400 Bad Request', '', 'no TLS'))
    const bound = server.address()
    const port = bound !== null && typeof bound === 'object' ? bound.port : 0
    const tls = clickhouseStore({ url: `HTTPS://127.0.0.1:${port}`, database: 'x' })
    await expect(tls.query('SELECT 1', {})).rejects.toBeInstanceOf(StoreDenied)
    await tls.close()
    await plain.close()
  })

  it('are not asked again once the store is closed', async () => {
    const asked = await serve(silent, minuteMs)
    const given = asked.query('SELECT 1', {}).catch((error: unknown) => error)
    await until('the query was sent', () => requests === 1)
    await asked.close()
    expect(await given).toBeInstanceOf(StoreUnavailable)
    expect(requests).toBe(1)
  })

  it('whose summary is no JSON answer nothing', async () => {
    const summary = 'x-clickhouse-summary: {"read_rows"\r\n'
    const asked = await serve(text('200 OK', summary, '1234'))
    const cost = { onCost: () => {} }
    await expect(asked.query('SELECT 1', {}, cost)).rejects.toBeInstanceOf(StoreUnavailable)
    expect([...(await asked.query('SELECT 1', {}))]).toEqual([...Buffer.from('1234')])
  })
})

describe('a query that is given up', () => {
  it('ends at once with the reason of its signal, and frees its connection', async () => {
    const asked = await serve((socket, request) => (request === 1 ? silent(socket) : whole(socket)))
    const ending = new AbortController()
    const given = asked.query('SELECT 1', {}, { signal: ending.signal })
    await until('the query was sent', () => requests === 1)
    ending.abort(new Error('nobody waits'))
    await expect(given).rejects.toThrow('nobody waits')
    expect([...(await asked.query('SELECT 1', {}))]).toEqual([1, 2, 3, 4])
  })

  it.each([head, 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n'])(
    'ends at once in the middle of its answer',
    async (begin) => {
      const asked = await serve((socket) => {
        silent(socket)
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
    const asked = await serve((socket, request) => (request <= 1 ? silent(socket) : whole(socket)))
    const waiting = Promise.allSettled([1, 2, 3].map(() => asked.query('SELECT 1', {})))
    await until('the query was sent', () => requests === 1)
    await asked.ping()
    for (const socket of sockets.splice(0)) socket.destroy()
    await waiting
  })
})

describe('an insert', () => {
  const row = Buffer.from([7])
  const insert = (asked: Store, rows = row) => asked.insert('holders', ['a', 'b'], rows)

  it('is one request, with its rows as they are and their length', async () => {
    let sent = ''
    const asked = await serve((socket, _, first) => {
      sent += first
      socket.on('data', (more) => {
        sent += more
      })
      whole(socket)
    }, minuteMs)
    await insert(asked, Buffer.from('rows'))
    const [head = '', body] = sent.split('\r\n\r\n')
    const [start = '', ...fields] = head.split('\r\n')
    const query = 'INSERT INTO `holders` (`a`,`b`) FORMAT RowBinary'
    const search = new URL(start.split(' ')[1] ?? '', 'http://x').searchParams
    expect([search.get('database'), search.get('query')]).toEqual(['x', query])
    expect(search.get('max_insert_block_size')).toBe('1100000')
    expect(fields.map((field) => field.toLowerCase())).toContain('content-length: 4')
    expect([body, requests]).toEqual(['rows', 1])
  }, 10_000)

  it('that is reset is sent once more, and not a third time', async () => {
    const asked = await serve((socket, request) => {
      if (request === 2) whole(socket)
      else socket.resetAndDestroy()
    })
    await insert(asked)
    expect(requests).toBe(2)
    await expect(insert(asked)).rejects.toThrow(/closed the connection \(insert into holders: /)
    expect(requests).toBe(4)
  })

  it('is not done because its response has begun', async () => {
    const asked = await serve((socket) => socket.end(`${head}\u0001`))
    await expect(insert(asked)).rejects.toBeInstanceOf(StoreUnavailable)
  })

  it('times out in all, though bytes still come', async () => {
    const asked = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n')
      const dripping = setInterval(() => socket.write('x'), 100)
      socket.on('close', () => clearInterval(dripping))
    })
    const form = /did not answer within 2050 ms \(insert into holders\)$/
    await expect(insert(asked)).rejects.toThrow(form)
    expect(requests).toBe(1)
  }, 20_000)

  it('that a server refuses before it has read all rows is refused for that reason', async () => {
    const asked = await serve(failing(516), minuteMs)
    const rows = Buffer.alloc(64 * 1024 ** 2)
    await expect(insert(asked, rows)).rejects.toBeInstanceOf(StoreDenied)
    expect(requests).toBe(1)
  }, 20_000)

  it('whose rows a server does not read times out', async () => {
    const asked = await serve((socket) => {
      silent(socket)
      socket.pause()
    })
    const rows = Buffer.alloc(64 * 1024 ** 2)
    await expect(insert(asked, rows)).rejects.toThrow('did not answer within 2050 ms')
    expect(requests).toBe(1)
  }, 20_000)

  it('is not sent again once the store is closed', async () => {
    const asked = await serve(silent, minuteMs)
    const given = insert(asked).catch((error: unknown) => error)
    await until('the insert was sent', () => requests === 1)
    await asked.close()
    expect(await given).toBeInstanceOf(StoreUnavailable)
    expect(requests).toBe(1)
  })

  it('does not wait for queries', async () => {
    const asked = await serve((socket, request) => (request === 1 ? silent(socket) : whole(socket)))
    const query = asked.query('SELECT 1', {}).catch((error: unknown) => error)
    await until('the query was sent', () => requests === 1)
    const first = await Promise.race([insert(asked).then(() => 'insert'), query])
    expect([first, requests]).toEqual(['insert', 2])
    expect(await query).toBeInstanceOf(StoreUnavailable)
  })
})
