import { createServer, type Server, type Socket } from 'node:net'
import { afterEach } from 'vitest'
import { clickhouseStore } from '../../libs/adapters/clickhouse/clickhouse-store.ts'
import type { Store } from '../../libs/ports/store.ts'

type Answer = (socket: Socket, request: number, first: Buffer) => void

/** A server on a free port, and a store that asks it by one connection; both end with each test. */
export class BrokenServer {
  /** Since it began to serve. */
  requests = 0
  port = 0
  #server: Server | undefined
  #store: Store | undefined
  readonly #held: Socket[] = []

  constructor() {
    afterEach(async () => {
      // First: a server closes once its connections have.
      this.release()
      await this.#store?.close()
      await this.stop()
    })
  }

  /** Responds to its n-th request with `answer`, which gets the first bytes of the request. */
  async serve(answer: Answer, timeoutMs = 50): Promise<Store> {
    this.requests = 0
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', (first) => {
        this.requests += 1
        answer(socket, this.requests, first)
      })
    })
    this.#server = server
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const bound = server.address()
    this.port = bound !== null && typeof bound === 'object' ? bound.port : 0
    const url = `http://127.0.0.1:${this.port}`
    const timeouts = { queryTimeoutMs: timeoutMs, insertTimeoutMs: timeoutMs }
    this.#store = clickhouseStore({ url, database: 'x', ...timeouts, maxConnections: 1 })
    return this.#store
  }

  /** Answers nothing. */
  readonly silent = (socket: Socket): void => void this.#held.push(socket)

  /** Closes the connections that were not answered. */
  release(): void {
    for (const socket of this.#held.splice(0)) socket.destroy()
  }

  /** So that nothing listens there any more. */
  stop(): Promise<unknown> {
    return new Promise((resolve) => this.#server?.close(resolve) ?? resolve(undefined))
  }
}

/** As ClickHouse counts rows in the head of a response. */
export const summary = (counts: Readonly<Record<string, number>> = {}): string => {
  const zero = { read_rows: 0, read_bytes: 0, result_rows: 0, written_rows: 0 }
  const texts = Object.entries({ ...zero, ...counts }).map(([name, count]) => [name, `${count}`])
  return `X-ClickHouse-Summary: ${JSON.stringify(Object.fromEntries(texts))}\r\n`
}

const done = summary({ result_rows: 1, written_rows: 1 })

/** Of a response of four bytes. */
export const head = `HTTP/1.1 200 OK\r\n${done}connection: close\r\ncontent-length: 4\r\n\r\n`
export const whole = (socket: Socket) => socket.end(`${head}\u0001\u0002\u0003\u0004`)

/** @param fields further header fields, each with its end of line */
export const text = (status: string, fields: string, body: string) => (socket: Socket) => {
  const length = `content-length: ${body.length}\r\n`
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n${fields}${length}\r\n${body}`)
}

/** An error as ClickHouse reports it. */
export const failing = (code: number) =>
  text(
    '500 Internal Server Error',
    `x-clickhouse-exception-code: ${code}\r\n`,
    `Code: ${code}. DB::Exception: Cannot do it. (NAME_OF_IT) (version 26.7)`,
  )
