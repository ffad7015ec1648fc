import { SourceTrouble } from '../../ports/node.ts'
import { linkedAbort } from '../../signals/linked-abort.ts'
import { pairAnswers } from './pair-answers.ts'
import { BatchRefused, type RpcAnswer, type RpcCall, type RpcTransport } from './rpc-transport.ts'

export interface HttpTransportOptions {
  readonly url: URL
  readonly requestTimeoutMs: number
  readonly answerBytesMax: number
}

/** JSON-RPC over `http(s)://`. User and password of the URL go into a header. */
export function httpTransport(options: HttpTransportOptions): RpcTransport {
  return new HttpTransport(options)
}

/** Tells our own time-out from whatever else ends an exchange. */
const tooLate = new Error('no whole answer in time')

/** The node asked for patience. */
export class TooOften extends SourceTrouble {
  readonly retryAfterMs: number

  constructor(sentence: string, retryAfterMs: number) {
    super('rate-limited', sentence)
    this.retryAfterMs = retryAfterMs
  }
}

class HttpTransport implements RpcTransport {
  readonly #options: HttpTransportOptions
  readonly #target: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #closing = new AbortController()
  #lastId = 0

  constructor(options: HttpTransportOptions) {
    this.#options = options
    const { target, headers } = withoutCredentials(options.url)
    this.#target = target
    this.#headers = { 'content-type': 'application/json', ...headers }
  }

  async send(calls: readonly RpcCall[]): Promise<readonly RpcAnswer[]> {
    const questions = calls.map((call) => ({ jsonrpc: '2.0', id: ++this.#lastId, ...call }))
    const body = JSON.stringify(questions.length === 1 ? questions[0] : questions)
    const text = await this.#exchange(body, calls.length)
    return pairAnswers(
      questions.map((question) => question.id),
      parsed(text),
    )
  }

  close(): void {
    this.#closing.abort()
  }

  async #exchange(body: string, callsCount: number): Promise<string> {
    const { requestTimeoutMs, answerBytesMax } = this.#options
    const exchange = linkedAbort(this.#closing.signal)
    const timer = setTimeout(() => exchange.end(tooLate), requestTimeoutMs)
    // Waiting for an answer is no reason for a process to go on.
    timer.unref()
    try {
      const response = await fetch(this.#target, {
        method: 'POST',
        headers: this.#headers,
        body,
        signal: exchange.signal,
      })
      const text = await textOf(response, answerBytesMax)
      refuseBadStatus(response, text, callsCount)
      return text
    } catch (cause) {
      if (cause instanceof SourceTrouble || cause instanceof BatchRefused) throw cause
      if (cause === tooLate) {
        throw new SourceTrouble('timed-out', `no whole answer within ${requestTimeoutMs} ms`)
      }
      throw new SourceTrouble('unreachable', `the node cannot be reached: ${networkReason(cause)}`)
    } finally {
      clearTimeout(timer)
      exchange.end()
    }
  }
}

/** fetch refuses URLs with user and password. */
export function withoutCredentials(url: URL): { target: string; headers: Record<string, string> } {
  const plain = new URL(url)
  plain.username = ''
  plain.password = ''
  if (!url.username && !url.password) return { target: plain.href, headers: {} }
  const secret = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  const authorization = `Basic ${Buffer.from(secret).toString('base64')}`
  return { target: plain.href, headers: { authorization } }
}

async function textOf(response: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > bytesMax) {
      throw new SourceTrouble('wrong-answer', `an answer of more than ${bytesMax} bytes`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** How far into a body the word is looked for, in characters. */
const answerStartMax = 1_000

/** Some nodes answer errors of JSON-RPC with a status of 4xx or 5xx: those are answers. */
function refuseBadStatus(response: Response, text: string, callsCount: number): void {
  const { status } = response
  if (status === 429) {
    const seconds = Number(response.headers.get('retry-after'))
    throw new TooOften('the node answers 429', Number.isFinite(seconds) ? seconds * 1000 : 0)
  }
  if (status === 413 && callsCount > 1) throw new BatchRefused('the node answers 413')
  if (status < 400 || text.slice(0, answerStartMax).includes('"jsonrpc"')) return
  if (status >= 500) throw new SourceTrouble('unavailable', `the node answers ${status}`)
  throw new SourceTrouble('refused', `the node answers ${status}`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new SourceTrouble('wrong-answer', 'the node answered with something else than JSON')
  }
}

/** fetch hides the reason in the cause; an AggregateError (two addresses) in its first error. */
function networkReason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return networkReason(error.errors[0])
  }
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : networkReason(error.cause)
}
