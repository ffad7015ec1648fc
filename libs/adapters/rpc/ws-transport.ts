import { WebSocket } from 'ws'
import { z } from 'zod'
import { SourceTrouble } from '../../ports/node.ts'
import { type HttpTransportOptions, withoutCredentials } from './http-transport.ts'
import { pairAnswers } from './pair-answers.ts'
import {
  type OnHead,
  type RpcAnswer,
  type RpcCall,
  RpcError,
  type RpcTransport,
} from './rpc-transport.ts'

/** JSON-RPC over `ws(s)://`. A lost connection is made anew by the next question. */
export function wsTransport(options: HttpTransportOptions): RpcTransport {
  return new WsTransport(options)
}

interface Waiting {
  readonly socket: WebSocket
  readonly ids: readonly number[]
  readonly resolve: (answers: readonly RpcAnswer[]) => void
  readonly reject: (reason: Error) => void
}

const notification = z.object({ method: z.literal('eth_subscription') })
const idForm = z.object({ id: z.number() })

class WsTransport implements RpcTransport {
  readonly #options: HttpTransportOptions
  /** By the first id of each batch; bounded by the client's `requestsMax`. */
  readonly #waiting = new Map<number, Waiting>()
  #socket: Promise<WebSocket> | null = null
  #onHead: OnHead = () => {}
  #closed = false
  #lastId = 0

  constructor(options: HttpTransportOptions) {
    this.#options = options
  }

  async send(calls: readonly RpcCall[]): Promise<readonly RpcAnswer[]> {
    const socket = await this.#connected()
    const questions = calls.map((call) => ({ jsonrpc: '2.0', id: ++this.#lastId, ...call }))
    const ids = questions.map((question) => question.id)
    const answers = this.#answersTo(ids, socket)
    socket.send(JSON.stringify(questions.length === 1 ? questions[0] : questions))
    return answers
  }

  async subscribeHeads(onHead: OnHead): Promise<void> {
    this.#onHead = onHead
    const [answer] = await this.send([{ method: 'eth_subscribe', params: ['newHeads'] }])
    if (answer && 'error' in answer) throw new RpcError('eth_subscribe', answer.error)
  }

  close(): void {
    this.#closed = true
    this.#socket?.then((socket) => socket.terminate()).catch(() => {})
  }

  #answersTo(ids: readonly number[], socket: WebSocket): Promise<readonly RpcAnswer[]> {
    const { requestTimeoutMs } = this.#options
    const [first = 0] = ids
    return new Promise<readonly RpcAnswer[]>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new SourceTrouble('timed-out', `no whole answer within ${requestTimeoutMs} ms`))
        // Silence may mean that the connection is gone without a word: start afresh.
        this.#socket = null
        socket.terminate()
      }, requestTimeoutMs)
      const settled = () => {
        clearTimeout(timer)
        this.#waiting.delete(first)
      }
      this.#waiting.set(first, {
        socket,
        ids,
        resolve: (answers) => {
          settled()
          resolve(answers)
        },
        reject: (reason) => {
          settled()
          reject(reason)
        },
      })
    })
  }

  #connected(): Promise<WebSocket> {
    if (this.#closed) {
      return Promise.reject(new SourceTrouble('unreachable', 'the connection was closed'))
    }
    this.#socket ??= this.#connect()
    return this.#socket
  }

  #connect(): Promise<WebSocket> {
    const { url, requestTimeoutMs, answerBytesMax } = this.#options
    const { target, headers } = withoutCredentials(url)
    const connecting = new Promise<WebSocket>((resolve, reject) => {
      const socket = new WebSocket(target, {
        headers,
        handshakeTimeout: requestTimeoutMs,
        maxPayload: answerBytesMax,
      })
      let fault = 'the connection was closed'
      socket.on('error', (error) => {
        fault = error.message
      })
      socket.on('open', () => resolve(socket))
      socket.on('message', (bytes) => this.#heard(String(bytes)))
      socket.on('close', () => {
        const lost = new SourceTrouble('unreachable', `the node cannot be reached: ${fault}`)
        if (this.#socket === connecting) this.#socket = null
        reject(lost)
        for (const waiting of [...this.#waiting.values()]) {
          if (waiting.socket === socket) waiting.reject(lost)
        }
        this.#onHead(true)
      })
    })
    return connecting
  }

  #heard(text: string): void {
    const body = parsed(text)
    if (notification.safeParse(body).success) {
      this.#onHead(false)
      return
    }
    const waiting = this.#askedBy(body)
    if (!waiting) return
    try {
      waiting.resolve(pairAnswers(waiting.ids, body))
    } catch (cause) {
      waiting.reject(cause instanceof Error ? cause : new Error(String(cause)))
    }
  }

  /** The batch that an answer belongs to; one without ids can only be for the only one waiting. */
  #askedBy(body: unknown): Waiting | undefined {
    const answers: readonly unknown[] = Array.isArray(body) ? body : [body]
    for (const answer of answers) {
      const read = idForm.safeParse(answer)
      if (!read.success) continue
      for (const waiting of this.#waiting.values()) {
        if (waiting.ids.includes(read.data.id)) return waiting
      }
    }
    return this.#waiting.size === 1 ? this.#waiting.values().next().value : undefined
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
