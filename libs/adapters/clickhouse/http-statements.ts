import * as http from 'node:http'
import * as https from 'node:https'
import { urlToHttpOptions } from 'node:url'
import { ClickHouseError, parseError } from '@clickhouse/client'
import { type QueryCost, ResultTooLarge } from '../../ports/store.ts'
import type { clientOptions } from './clickhouse-options.ts'
import { type ResponseSummary, summaryOf } from './response-summary.ts'
import { requestOf, type Statement } from './statement-request.ts'
import { isOfOneServer } from './store-error.ts'

/** A statement and how its response is read. */
export interface HttpStatement extends Statement {
  readonly signal?: AbortSignal | undefined
  /** Of the result. */
  readonly bytesMax?: number | undefined
  readonly onCost?: ((cost: QueryCost) => void) | undefined
}

/** A response whose body was read to its end, which is not known to be its whole. */
export interface CountedResponse {
  /** Of an insert empty. */
  readonly body: Buffer
  readonly summary: ResponseSummary
}

export interface HttpStatements {
  /**
   * Rejects with a ClickHouseError that the server reports, IncompleteResponse, ResultTooLarge, an
   * AbortError, `Timeout error.` as @clickhouse/client does, or what Node says of the connection.
   */
  send(statement: HttpStatement): Promise<CountedResponse>
  close(): void
}

/** Of the text of an error; the server's own have some hundred. */
const errorBytesMax = 1024 ** 2

/**
 * Queries and inserts by Node's own HTTP client, over the HTTP interface of ClickHouse. All other
 * statements go by @clickhouse/client, which starts a timer of a millisecond before each request
 * and makes streams of both bodies: `SELECT 1` takes 2.5 to 3.6 ms by it and 0.6 to 1.1 here, and
 * 0.9 to 1.9 and 0.2 to 0.6 ms of processor time (`benchmarks/NOTES.md`, Cold pages of many
 * clients). A page that is read alone has two or three queries after each other, a block has 18
 * inserts. The time-out here is for the whole exchange, there it starts again with each byte.
 */
export function httpStatements(options: ReturnType<typeof clientOptions>): HttpStatements {
  const { database, username, password, application } = options
  const url = new URL(options.url)
  const { request: start, Agent } = url.protocol === 'https:' ? https : http
  const agent = new Agent({
    keepAlive: true,
    maxSockets: options.max_open_connections,
    // Of an idle socket; a request has a timer of its own.
    timeout: options.keep_alive.idle_socket_ttl,
    ...(options.tls === undefined ? {} : { ca: options.tls.ca_cert }),
  })
  const server = {
    ...urlToHttpOptions(url),
    method: 'POST',
    agent,
    headers: {
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      'user-agent': application,
    },
  }
  let isClosed = false
  return {
    async send(statement) {
      if (isClosed) throw hangUp()
      const { path, headers, body } = requestOf(database, statement)
      const { signal } = statement
      const request = start({
        ...server,
        path,
        headers: { ...server.headers, ...headers },
        ...(signal === undefined ? {} : { signal }),
      })
      // One that waited for a socket meanwhile: nothing of it was sent.
      request.on('socket', () => void (isClosed && request.destroy(hangUp())))
      return await exchanged(request, { ...statement, body }, options.request_timeout)
    },
    close() {
      isClosed = true
      agent.destroy()
    },
  }
}

const hangUp = () => new Error('socket hang up')

interface SentStatement extends HttpStatement {
  readonly body: string | Uint8Array
}

/** Sends the statement and reads the whole response. */
const exchanged = (request: http.ClientRequest, statement: SentStatement, timeoutMs: number) =>
  new Promise<CountedResponse>((resolve, reject) => {
    let response: http.IncomingMessage | undefined
    let timer: NodeJS.Timeout | undefined
    request.on('socket', () => {
      // In all, as a server may send its response byte by byte for ever.
      timer = setTimeout(() => {
        const error = new Error('Timeout error.')
        // First: a body that ends with its connection is whole once the request is destroyed.
        response?.destroy(error)
        request.destroy(error)
      }, timeoutMs)
    })
    request.on('response', (begun) => {
      response = begun
      resolve(answered(begun, request, statement))
    })
    request.on('error', reject)
    request.on('close', () => {
      clearTimeout(timer)
      // Without a response and without an error: the server switched to another protocol.
      reject(hangUp())
    })
    request.end(statement.body)
  })

const isFailed = ({ statusCode = 0, headers }: http.IncomingMessage): boolean =>
  statusCode < 200 || statusCode > 299 || headers['x-clickhouse-exception-code'] !== undefined

async function answered(
  response: http.IncomingMessage,
  request: http.ClientRequest,
  statement: HttpStatement,
): Promise<CountedResponse> {
  const { bytesMax = Number.POSITIVE_INFINITY, onCost, signal } = statement
  try {
    if (isFailed(response)) throw parseError(String((await read(response, errorBytesMax)).body))
    const summary = summaryOf(response.headers['x-clickhouse-summary'])
    onCost?.(summary)
    const { body, isWhole } = await read(response, bytesMax)
    if (!isWhole) throw new ResultTooLarge(`a result has more than ${bytesMax} bytes`)
    // A body that ends with its connection ends at an abort, too.
    signal?.throwIfAborted()
    return { body, summary }
  } catch (error) {
    // A connection with the rest of a response would serve no other statement.
    response.destroy()
    // The next one may lead to another replica.
    if (error instanceof ClickHouseError && isOfOneServer(error.code)) request.socket?.destroy()
    // Nor would one whose server refused an insert before it had read all rows, and reads no more.
    if (!request.writableFinished) request.destroy()
    throw error
  }
}

/** Also where the server leaves the bound to us: what is beyond it is not read. */
const read = (response: http.IncomingMessage, bytesMax: number) =>
  new Promise<{ readonly body: Buffer; readonly isWhole: boolean }>((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const settle = (isWhole: boolean) => resolve({ body: Buffer.concat(chunks, bytes), isWhole })
    response.on('error', reject)
    response.on('end', () => settle(true))
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes <= bytesMax) return
      response.pause()
      settle(false)
    })
  })
