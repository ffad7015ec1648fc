import { describe, expect, it } from 'vitest'
import { type Store, StoreDenied, StoreUnavailable } from '../../libs/ports/store.ts'
import { until } from '../support/until.ts'
import { BrokenServer, failing, head, summary, whole } from './broken-server.ts'

const minuteMs = 60_000
const broken = new BrokenServer()

describe('an insert', () => {
  const row = Buffer.from([7])
  const insert = (asked: Store, rows = row) => asked.insert('holders', ['a', 'b'], rows)

  it('is one request, with its rows as they are and their length', async () => {
    let sent = ''
    const asked = await broken.serve((socket, _, first) => {
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
    expect([body, broken.requests]).toEqual(['rows', 1])
  }, 10_000)

  it('that is reset is sent once more, and not a third time', async () => {
    const asked = await broken.serve((socket, request) => {
      if (request === 2) whole(socket)
      else socket.resetAndDestroy()
    })
    await insert(asked)
    expect(broken.requests).toBe(2)
    await expect(insert(asked)).rejects.toThrow(/closed the connection \(insert into holders: /)
    expect(broken.requests).toBe(4)
  })

  it('is not done because its response has begun', async () => {
    const asked = await broken.serve((socket) => socket.end(`${head}\u0001`))
    await expect(insert(asked)).rejects.toBeInstanceOf(StoreUnavailable)
  })

  it('times out in all, though bytes still come', async () => {
    const asked = await broken.serve((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${summary()}content-length: 1000\r\n\r\n`)
      const dripping = setInterval(() => socket.write('x'), 100)
      socket.on('close', () => clearInterval(dripping))
    })
    const form = /did not answer within 2050 ms \(insert into holders\)$/
    await expect(insert(asked)).rejects.toThrow(form)
    expect(broken.requests).toBe(1)
  }, 20_000)

  it('that a server refuses before it has read all rows is refused for that reason', async () => {
    const asked = await broken.serve(failing(516), minuteMs)
    const rows = Buffer.alloc(64 * 1024 ** 2)
    await expect(insert(asked, rows)).rejects.toBeInstanceOf(StoreDenied)
    expect(broken.requests).toBe(1)
  }, 20_000)

  it('whose rows a server does not read times out', async () => {
    const asked = await broken.serve((socket) => {
      broken.silent(socket)
      socket.pause()
    })
    const rows = Buffer.alloc(64 * 1024 ** 2)
    await expect(insert(asked, rows)).rejects.toThrow('did not answer within 2050 ms')
    expect(broken.requests).toBe(1)
  }, 20_000)

  it('that is refused early does not hold its connection', async () => {
    const refusal = 'HTTP/1.1 503 Service Unavailable\r\ncontent-length: 4\r\n\r\nbusy'
    const asked = await broken.serve((socket, request) => {
      if (request === 2) return void whole(socket)
      broken.silent(socket)
      socket.pause()
      socket.write(refusal)
    }, minuteMs)
    await expect(insert(asked, Buffer.alloc(64 * 1024 ** 2))).rejects.toThrow(/: busy\)$/)
    await insert(asked)
    expect(broken.requests).toBe(2)
  }, 10_000)

  it('does not time out while it waits for a connection', async () => {
    const asked = await broken.serve((socket) => void setTimeout(() => whole(socket), 1_500))
    await Promise.all([insert(asked), insert(asked)])
    expect(broken.requests).toBe(2)
  })

  it('is not sent once the store is closed, nor again', async () => {
    const asked = await broken.serve(broken.silent, minuteMs)
    const given = Promise.allSettled([insert(asked), insert(asked)])
    await until('the first insert was sent', () => broken.requests === 1)
    await asked.close()
    for (const one of [...(await given), ...(await Promise.allSettled([insert(asked)]))]) {
      expect(one.status === 'rejected' && one.reason).toBeInstanceOf(StoreUnavailable)
    }
    expect(broken.requests).toBe(1)
  })

  it('does not wait for queries', async () => {
    const asked = await broken.serve((socket, request) =>
      request === 1 ? broken.silent(socket) : whole(socket),
    )
    const query = asked.query('SELECT 1', {}).catch((error: unknown) => error)
    await until('the query was sent', () => broken.requests === 1)
    const first = await Promise.race([insert(asked).then(() => 'insert'), query])
    expect([first, broken.requests]).toEqual(['insert', 2])
    expect(await query).toBeInstanceOf(StoreUnavailable)
  })
})
