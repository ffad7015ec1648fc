import { expect, test } from 'vitest'
import type { ResponseStream } from '../../ports/http.ts'
import { OpenStreams, type StreamedResponse } from './open-streams.ts'

/** A socket that takes chunks while it has room. */
class Socket implements StreamedResponse {
  readonly written: string[] = []
  isEnded = false
  isClosed = false
  hasRoom = true
  private writable = () => {}
  private readonly streams: OpenStreams

  constructor(streams: OpenStreams) {
    this.streams = streams
  }

  cork(written: () => void): void {
    written()
  }

  write(chunk: Buffer): boolean {
    this.written.push(chunk.toString())
    return this.hasRoom
  }

  onWritable(listener: (offset: number) => boolean): void {
    this.writable = () => void listener(0)
  }

  drain(): void {
    this.hasRoom = true
    this.writable()
  }

  end(_body: string, closeConnection: boolean): void {
    this.isEnded = closeConnection
  }

  /** As the library does. */
  close(): void {
    this.isClosed = true
    this.streams.remove(this)
  }
}

function begun(streams = new OpenStreams()) {
  const socket = new Socket(streams)
  let ends = 0
  const opened: ResponseStream[] = []
  streams.begin(socket, (stream) => {
    opened.push(stream)
    stream.onEnd(() => {
      ends += 1
    })
  })
  const [stream] = opened
  if (stream === undefined) throw new Error('not begun')
  return { streams, socket, stream, ends: () => ends }
}

const chunk = (text: string) => Buffer.from(text)

test('a client that does not read has one chunk buffered, whatever is sent', () => {
  const { socket, stream } = begun()
  socket.hasRoom = false
  expect(stream.send(chunk('one'))).toBe(true)
  expect(stream.send(chunk('two'))).toBe(false)
  expect(stream.send(chunk('three'))).toBe(false)
  expect(socket.written).toEqual(['one'])
  socket.drain()
  expect(stream.send(chunk('four'))).toBe(true)
  expect(socket.written).toEqual(['one', 'four'])
})

test('an end closes the connection of a client that does not read at once', () => {
  const reading = begun()
  reading.stream.end()
  expect([reading.socket.isEnded, reading.socket.isClosed]).toEqual([true, false])
  const blocked = begun()
  blocked.socket.hasRoom = false
  blocked.stream.send(chunk('one'))
  blocked.stream.end()
  expect([blocked.socket.isEnded, blocked.socket.isClosed]).toEqual([false, true])
})

test('says once that a stream has ended, whoever ended it', () => {
  const left = begun()
  left.streams.remove(left.socket)
  left.stream.end()
  expect([left.ends(), left.socket.isEnded, left.socket.isClosed]).toEqual([1, false, false])
  expect(left.stream.send(chunk('late'))).toBe(false)
  const ended = begun()
  ended.stream.end()
  ended.streams.remove(ended.socket)
  expect(ended.ends()).toBe(1)
  let late = 0
  ended.stream.onEnd(() => {
    late += 1
  })
  expect(late).toBe(1)
})

test('ends all when the server drains, and those that begin later', () => {
  const streams = new OpenStreams()
  const early = [begun(streams), begun(streams)]
  streams.endAll()
  expect(early.map(({ socket }) => socket.isEnded)).toEqual([true, true])
  expect(early.map(({ ends }) => ends())).toEqual([1, 1])
  expect(begun(streams).socket.isEnded).toBe(true)
})
