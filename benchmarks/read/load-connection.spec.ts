import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { LoadConnection } from './load-connection.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** @param answer called with each request. */
async function connected(answer: (socket: Socket, request: string) => void) {
  const server = createServer((socket) => {
    socket.setNoDelay(true)
    socket.on('data', (request) => answer(socket, request.toString()))
    socket.on('error', () => {})
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return LoadConnection.open(address.port)
}

const response = (status: string, body: string) =>
  `HTTP/1.1 ${status}\r\ncontent-type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`

/** Each character alone, as a network may deliver them. */
async function trickle(socket: Socket, text: string): Promise<void> {
  for (const character of text) {
    await new Promise<void>((resolve) => socket.write(character, () => resolve()))
  }
}

describe('a connection of a load generator', () => {
  it.each([
    ['whole', (socket: Socket, text: string) => void socket.write(text)],
    ['in pieces', (socket: Socket, text: string) => void trickle(socket, text)],
  ])('reads one response after the other, %s', async (_, send) => {
    const connection = await connected((socket, request) => {
      const target = request.split(' ')[1] ?? ''
      if (target === '/busy') send(socket, response('503 Service Unavailable', ''))
      else send(socket, response('200 OK', `page ${target}`))
    })
    const got: unknown[] = []
    for (const target of ['/one', '/busy', '/two']) {
      const { status, body } = await connection.get(target)
      got.push([status, body.toString()])
    }
    connection.close()
    expect(got).toEqual([
      [200, 'page /one'],
      [503, ''],
      [200, 'page /two'],
    ])
  })

  it('rejects when the server closes in the middle of a body', async () => {
    const connection = await connected((socket) => {
      socket.end(response('200 OK', 'a page').slice(0, -1))
    })
    await expect(connection.get('/')).rejects.toThrow('closed the connection')
  })

  it('rejects on a connection that was closed between two requests', async () => {
    let close = (): unknown => null
    const connection = await connected((socket) => {
      socket.write(response('200 OK', ''))
      close = () => socket.end()
      socket.on('close', () => setImmediate(() => (isClosed = true)))
    })
    let isClosed = false
    await connection.get('/')
    close()
    await vi.waitUntil(() => isClosed)
    await expect(connection.get('/')).rejects.toThrow('closed the connection')
  })

  it('rejects after bytes that no request asked for', async () => {
    let late = (): unknown => null
    const connection = await connected((socket) => {
      socket.write(response('200 OK', ''))
      late = () => socket.write('late')
      socket.on('close', () => setImmediate(() => (isClosed = true)))
    })
    let isClosed = false
    await connection.get('/')
    late()
    await vi.waitUntil(() => isClosed)
    await expect(connection.get('/')).rejects.toThrow('that no request asked for')
  })

  it.each([
    ['whose length it does not know', 'transfer-encoding: chunked', 'without Content-Length'],
    ['longer than it says', 'content-length: 3', 'longer than its Content-Length'],
  ])('rejects a response %s', async (_, header, fault) => {
    const connection = await connected((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${header}\r\n\r\nfour`)
    })
    await expect(connection.get('/')).rejects.toThrow(fault)
  })
})
