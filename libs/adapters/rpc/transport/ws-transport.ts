import { type RawData, WebSocket } from 'ws'
import { z } from 'zod'
import { SourceError } from '../../../ports/chain-source.ts'
import { withoutCredentials } from './http-transport.ts'
import { isShort, parsedAtOnce, parsedInPieces } from './parsed-answer.ts'
import {
  matchResponses,
  type OnHead,
  ResponseTooLarge,
  type RpcCall,
  RpcError,
  type RpcResponse,
  type RpcTransport,
  type SendOptions,
} from './rpc-transport.ts'

interface WsTransportOptions {
  readonly url: URL
  readonly connectTimeoutMs: number
  /** A larger message ends the connection, as nothing can be skipped on it. */
  readonly messageBytesMax: number
}

/** JSON-RPC over `ws(s)://`. A lost connection is re-established by the next request. */
export function wsTransport(options: WsTransportOptions): RpcTransport {
  return new WsTransport(options)
}

/** Since when it lives, and how many messages have come over it. */
interface Connection {
  readonly socket: WebSocket
  messages: number
}

interface PendingBatch {
  readonly connection: Connection
  readonly ids: readonly number[]
  readonly responseBytesMax: number
  readonly resolve: (answers: readonly RpcResponse[]) => void
  readonly reject: (reason: Error) => void
}

const notification = z.object({ method: z.literal('eth_subscription') })
const idForm = z.object({ id: z.number() })

class WsTransport implements RpcTransport {
  readonly #options: WsTransportOptions
  /** By the first id of each batch; bounded by the client's `requestsMax`. */
  readonly #waiting = new Map<number, PendingBatch>()
  #connection: Promise<Connection> | null = null
  #newest: Connection | null = null
  #onHead: OnHead = () => {}
  #closed = false
  #lastId = 0

  constructor(options: WsTransportOptions) {
    this.#options = options
  }

  async send(calls: readonly RpcCall[], options: SendOptions): Promise<readonly RpcResponse[]> {
    const connection = await this.#connected()
    options.signal?.throwIfAborted()
    const questions = calls.map((call) => ({ jsonrpc: '2.0', id: ++this.#lastId, ...call }))
    const ids = questions.map((question) => question.id)
    const answers = this.#answersTo(ids, connection, options)
    connection.socket.send(JSON.stringify(questions.length === 1 ? questions[0] : questions))
    return answers
  }

  async subscribeHeads(onHead: OnHead, options: SendOptions): Promise<void> {
    this.#onHead = onHead
    const [answer] = await this.send([{ method: 'eth_subscribe', params: ['newHeads'] }], options)
    if (answer && 'error' in answer) throw new RpcError('eth_subscribe', answer.error)
  }

  close(): void {
    this.#closed = true
    this.#connection?.then(({ socket }) => socket.terminate()).catch(() => {})
  }

  #answersTo(
    ids: readonly number[],
    connection: Connection,
    { timeoutMs, responseBytesMax, signal }: SendOptions,
  ): Promise<readonly RpcResponse[]> {
    const [first = 0] = ids
    const messagesBefore = connection.messages
    return new Promise<readonly RpcResponse[]>((resolve, reject) => {
      const settled = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', cutOff)
        this.#waiting.delete(first)
      }
      const failed = (reason: Error) => {
        settled()
        reject(reason)
      }
      const cutOff = () => failed(signal?.reason)
      const timer = setTimeout(() => {
        failed(new SourceError('timed-out', `no whole answer within ${timeoutMs} ms`))
        // No message at all may mean that the connection was lost without notice: reconnect.
        if (connection.messages === messagesBefore) this.#terminate(connection)
      }, timeoutMs)
      signal?.addEventListener('abort', cutOff)
      this.#waiting.set(first, {
        connection,
        ids,
        responseBytesMax,
        resolve: (answers) => {
          settled()
          resolve(answers)
        },
        reject: failed,
      })
    })
  }

  #terminate(connection: Connection): void {
    if (this.#newest === connection) this.#connection = null
    connection.socket.terminate()
  }

  #connected(): Promise<Connection> {
    if (this.#closed) {
      return Promise.reject(new SourceError('unreachable', 'the connection was closed'))
    }
    this.#connection ??= this.#connect()
    return this.#connection
  }

  #connect(): Promise<Connection> {
    const { url, connectTimeoutMs, messageBytesMax } = this.#options
    const { target, headers } = withoutCredentials(url)
    const connecting = new Promise<Connection>((resolve, reject) => {
      const socket = new WebSocket(target, {
        headers,
        handshakeTimeout: connectTimeoutMs,
        maxPayload: messageBytesMax,
      })
      const connection = { socket, messages: 0 }
      this.#newest = connection
      let fault = 'the connection was closed'
      socket.on('error', (error) => {
        fault = error.message
      })
      socket.on('open', () => resolve(connection))
      socket.on('message', (data) => this.#onMessage(bytesOf(data), connection))
      socket.on('close', () => {
        const lost = new SourceError('unreachable', `the node cannot be reached: ${fault}`)
        if (this.#connection === connecting) this.#connection = null
        reject(lost)
        for (const waiting of [...this.#waiting.values()]) {
          if (waiting.connection === connection) waiting.reject(lost)
        }
        this.#onHead(true)
      })
    })
    return connecting
  }

  #onMessage(bytes: Buffer, connection: Connection): void {
    connection.messages++
    const take = (body: unknown) => this.#take(body, bytes.length)
    if (isShort(bytes)) take(parsed(bytes))
    else parsedInPieces(bytes).then(take, () => take(null))
  }

  #take(body: unknown, bytes: number): void {
    if (notification.safeParse(body).success) {
      this.#onHead(false)
      return
    }
    const waiting = this.#waitingFor(body)
    if (!waiting) return
    if (bytes > waiting.responseBytesMax) {
      waiting.reject(new ResponseTooLarge(waiting.responseBytesMax))
      return
    }
    try {
      waiting.resolve(matchResponses(waiting.ids, body))
    } catch (cause) {
      waiting.reject(cause instanceof Error ? cause : new Error(String(cause)))
    }
  }

  /** The batch that an answer belongs to; one without ids can only be for the only one waiting. */
  #waitingFor(body: unknown): PendingBatch | undefined {
    const answers: readonly unknown[] = Array.isArray(body) ? body : [body]
    const ids = answers.flatMap((answer) => {
      const read = idForm.safeParse(answer)
      return read.success ? [read.data.id] : []
    })
    for (const waiting of this.#waiting.values()) {
      if (ids.some((id) => waiting.ids.includes(id))) return waiting
    }
    // A response with ids belongs to a request that has timed out.
    if (ids.length > 0 || this.#waiting.size !== 1) return undefined
    return this.#waiting.values().next().value
  }
}

/** Null: not JSON. */
function parsed(bytes: Buffer): unknown {
  try {
    return parsedAtOnce(bytes)
  } catch {
    return null
  }
}

/** As `ws` gives messages. */
const bytesOf = (data: RawData): Buffer => {
  if (Array.isArray(data)) return Buffer.concat(data)
  return Buffer.isBuffer(data) ? data : Buffer.from(data)
}
