import { expect, test } from 'vitest'
import { silentLog } from '../../signals/log.ts'
import { startMetrics } from '../../signals/metrics.ts'
import { type SlowResponse, UnsentBodies, type UnsentBodiesOptions } from './unsent-bodies.ts'

const kib = 1024

/** A socket that takes no more than it is let. */
class Socket implements SlowResponse {
  taken = Buffer.alloc(0)
  isClosed = false
  private total = 0
  private writable = (_offset: number) => true
  private readonly bodies: UnsentBodies
  private room = 0

  constructor(bodies: UnsentBodies) {
    this.bodies = bodies
  }

  get isDone(): boolean {
    return this.taken.length === this.total
  }

  take(bytes: number): void {
    this.room = bytes
    this.writable(this.taken.length)
  }

  tryEnd(chunk: Buffer, total: number): [boolean, boolean] {
    this.total = total
    this.taken = Buffer.concat([this.taken, chunk.subarray(0, this.room)])
    const isTaken = chunk.length <= this.room
    this.room = 0
    return [isTaken, this.isDone]
  }

  onWritable(listener: (offset: number) => boolean): void {
    this.writable = listener
  }

  close(): void {
    this.isClosed = true
    this.bodies.remove(this)
  }
}

function bed(options: Partial<UnsentBodiesOptions> = {}) {
  const metrics = startMetrics()
  const lines: string[] = []
  const warn = (_: object, sentence: string) => void lines.push(sentence)
  const bodies = new UnsentBodies({
    log: { ...silentLog, warn },
    metrics,
    unsentBytesMax: 100 * kib,
    slowAfterMs: 60_000,
    ...options,
  })
  const send = (body: Buffer, client = 'one') => {
    const socket = new Socket(bodies)
    bodies.send(socket, body, { bodyClient: () => client })
    return socket
  }
  const hasRoomFor = (body: Buffer, client = 'one') =>
    bodies.hasRoomFor(body, { bodyClient: () => client })
  const unsent = async () => (await metrics.unsentBytes.get()).values[0]?.value
  return { hasRoomFor, lines, send, unsent }
}

const bodyOf = (bytes: number, fill = 1) => Buffer.alloc(bytes, fill)

test('a client takes a body piece by piece, and takes its own bytes', async () => {
  const { send, unsent } = bed()
  const body = Buffer.from(Array.from({ length: 40 * kib }, (_, at) => at % 251))
  const socket = send(body)
  for (let bytes = 1; !socket.isDone; bytes *= 3) {
    expect(await unsent()).toBe(body.length)
    socket.take(bytes)
  }
  expect(socket.taken.equals(body)).toBe(true)
  expect(await unsent()).toBe(0)
})

test('a body counts once, until its last client has it or has left', async () => {
  const { hasRoomFor, send, unsent } = bed()
  const body = bodyOf(40 * kib)
  const [one, other] = [send(body), send(body)]
  send(bodyOf(30 * kib))
  expect(await unsent()).toBe(70 * kib)
  one.take(body.length)
  expect(await unsent()).toBe(70 * kib)
  expect(hasRoomFor(body)).toBe(true)
  other.close()
  expect(await unsent()).toBe(30 * kib)
  other.close()
  expect(await unsent()).toBe(30 * kib)
})

test('beyond the bound there is room for small bodies and for those that count already', () => {
  const { hasRoomFor, send } = bed()
  const [first, second] = [bodyOf(60 * kib), bodyOf(40 * kib)]
  send(first)
  expect(hasRoomFor(bodyOf(41 * kib))).toBe(false)
  expect(hasRoomFor(second)).toBe(true)
  send(second)
  expect(hasRoomFor(bodyOf(17 * kib))).toBe(false)
  expect(hasRoomFor(bodyOf(16 * kib))).toBe(true)
  expect(hasRoomFor(first)).toBe(true)
})

test('a body above the bound is sent where no other waits', () => {
  const { hasRoomFor, send } = bed()
  expect(hasRoomFor(bodyOf(500 * kib))).toBe(true)
  send(bodyOf(500 * kib))
  expect(hasRoomFor(bodyOf(500 * kib))).toBe(false)
})

test('clients that are slow lose their connections to others, the slowest first, with a line', () => {
  const { hasRoomFor, lines, send } = bed({ slowAfterMs: 0 })
  const sockets = [send(bodyOf(40 * kib)), send(bodyOf(40 * kib)), send(bodyOf(20 * kib))]
  expect(hasRoomFor(bodyOf(50 * kib))).toBe(true)
  expect(sockets.map(({ isClosed }) => isClosed)).toEqual([true, true, false])
  expect(lines).toEqual(['closed connections of 2 slow clients: too many bytes wait to be sent'])
})

test('another client has room where one has more than its share, and loses its oldest', () => {
  const { hasRoomFor, lines, send } = bed()
  const greedy = Array.from({ length: 4 }, (_, at) => send(bodyOf(20 * kib, at), 'greedy'))
  const polite = send(bodyOf(20 * kib, 9), 'polite')
  expect(hasRoomFor(bodyOf(20 * kib), 'greedy')).toBe(false)
  expect(greedy.some(({ isClosed }) => isClosed)).toBe(false)
  expect(hasRoomFor(bodyOf(30 * kib), 'third')).toBe(true)
  expect(greedy.map(({ isClosed }) => isClosed)).toEqual([true, true, false, false])
  expect(polite.isClosed).toBe(false)
  expect(lines).toEqual(['closed connections of 2 slow clients: too many bytes wait to be sent'])
})

test('a client that has left counts no more', () => {
  const { hasRoomFor, send } = bed()
  send(bodyOf(40 * kib), 'left').close()
  const sockets = [35, 25, 24].map((size) => send(bodyOf(size * kib, size), `of ${size}`))
  expect(hasRoomFor(bodyOf(30 * kib), 'next')).toBe(true)
  expect(sockets.map(({ isClosed }) => isClosed)).toEqual([true, false, false])
})

test('clients within their shares lose no connection to others', () => {
  const { hasRoomFor, send } = bed()
  const sockets = ['a', 'b', 'c', 'd'].map((client, at) => send(bodyOf(25 * kib, at), client))
  expect(hasRoomFor(bodyOf(20 * kib), 'e')).toBe(false)
  expect(sockets.some(({ isClosed }) => isClosed)).toBe(false)
  sockets[0]?.close()
  expect(hasRoomFor(bodyOf(20 * kib), 'e')).toBe(true)
})
