import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { uwsServer } from '../../libs/adapters/uws/uws-server.ts'
import { silentLog } from '../../libs/signals/log.ts'

/** More than the buffers of both sockets take. */
const body = Buffer.alloc(16 * 1024 * 1024, 'x')
const serverOf = (stopTimeoutMs: number) =>
  uwsServer({
    port: 0,
    log: silentLog,
    stopTimeoutMs,
    handler: async () => ({ status: 200, headers: {}, body }),
  })

/** A request whose response has begun to arrive. */
async function reading(port: number) {
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /x HTTP/1.1\r\nhost: x\r\nuser-agent: y\r\n\r\n')
  const [first] = await new Promise<[Buffer]>((resolve) =>
    socket.once('data', (chunk: Buffer) => {
      socket.pause()
      resolve([chunk])
    }),
  )
  return { socket, first }
}

test.each([false, true])(
  'a stop waits for a body that is read, draining %s',
  async (isDraining) => {
    const server = await serverOf(60_000)
    if (isDraining) server.drain()
    const { socket, first } = await reading(server.port)
    expect(/^connection: close\r$/im.test(first.toString('latin1'))).toBe(isDraining)
    let received = first.length - (first.indexOf('\r\n\r\n') + 4)
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    const closed = new Promise((resolve) => socket.on('close', resolve))
    const stopped = server.close()
    socket.resume()
    await Promise.all([stopped, closed])
    expect(received).toBe(body.length)
  },
)

test('a client that does not read delays a stop by its bound only', async () => {
  const server = await serverOf(20)
  const { socket } = await reading(server.port)
  const closed = new Promise((resolve) => socket.on('close', resolve))
  await server.close()
  socket.resume()
  await closed
})
