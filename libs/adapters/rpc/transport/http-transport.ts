import { setMaxListeners } from 'node:events'
import { SourceError } from '../../../ports/chain-source.ts'
import { linkedAbort } from '../../../signals/linked-abort.ts'
import { isShort, parsedAtOnce, parsedInPieces } from './parsed-answer.ts'
import {
  BatchRefused,
  matchResponses,
  ResponseTooLarge,
  type RpcCall,
  type RpcResponse,
  type RpcTransport,
  type SendOptions,
} from './rpc-transport.ts'

/** JSON-RPC over `http(s)://`. User and password of the URL go into a header. */
export function httpTransport(url: URL): RpcTransport {
  return new HttpTransport(url)
}

/** The node asked for patience. */
export class RateLimited extends SourceError {
  readonly retryAfterMs: number

  constructor(sentence: string, retryAfterMs: number) {
    super('rate-limited', sentence)
    this.retryAfterMs = retryAfterMs
  }
}

class HttpTransport implements RpcTransport {
  readonly #target: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #closing = new AbortController()
  #lastId = 0

  constructor(url: URL) {
    // One for each request in flight: Node takes more than ten for a leak.
    setMaxListeners(0, this.#closing.signal)
    const { target, headers } = withoutCredentials(url)
    this.#target = target
    this.#headers = { 'content-type': 'application/json', ...headers }
  }

  async send(calls: readonly RpcCall[], options: SendOptions): Promise<readonly RpcResponse[]> {
    const questions = calls.map((call) => ({ jsonrpc: '2.0', id: ++this.#lastId, ...call }))
    const body = JSON.stringify(questions.length === 1 ? questions[0] : questions)
    const bytes = await this.#exchange({ body, callsCount: calls.length }, options)
    return matchResponses(
      questions.map((question) => question.id),
      await parsed(bytes),
    )
  }

  close(): void {
    this.#closing.abort()
  }

  async #exchange({ body, callsCount }: Sending, options: SendOptions): Promise<Buffer> {
    const { timeoutMs, responseBytesMax, signal } = options
    const exchange = linkedAbort(this.#closing.signal)
    const cutOff = () => exchange.end(signal?.reason)
    signal?.addEventListener('abort', cutOff)
    if (signal?.aborted) cutOff()
    // Distinguishes our own time-out from other ends of an exchange.
    const tooLate = new SourceError('timed-out', `no whole answer within ${timeoutMs} ms`)
    const timer = setTimeout(() => exchange.end(tooLate), timeoutMs)
    // Waiting for an answer is no reason for a process to go on.
    timer.unref()
    try {
      const response = await fetch(this.#target, {
        method: 'POST',
        headers: this.#headers,
        body,
        // A redirect leads to another server: it must receive neither the request nor the password.
        redirect: 'manual',
        signal: exchange.signal,
      })
      const bytes = await bytesOf(response, responseBytesMax)
      refuseBadStatus(response, bytes, callsCount)
      return bytes
    } catch (cause) {
      if (isOwn(cause)) throw cause
      throw new SourceError(
        'unreachable',
        `the node cannot be reached: ${networkReason(cause, this.#target)}`,
      )
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cutOff)
      exchange.end()
    }
  }
}

interface Sending {
  readonly body: string
  readonly callsCount: number
}

const isOwn = (cause: unknown): boolean =>
  cause instanceof SourceError || cause instanceof BatchRefused || cause instanceof ResponseTooLarge

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

async function bytesOf(response: Response, bytesMax: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new ResponseTooLarge(bytesMax)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** How far into a body the word is looked for, in bytes. */
const answerStartMax = 1_000

/** Some nodes answer errors of JSON-RPC with a status of 4xx or 5xx: those are answers. */
function refuseBadStatus(response: Response, body: Buffer, callsCount: number): void {
  const { status } = response
  if (status === 429) {
    const seconds = Number(response.headers.get('retry-after'))
    throw new RateLimited('the node answers 429', Number.isFinite(seconds) ? seconds * 1000 : 0)
  }
  if (status === 413 && callsCount > 1) throw new BatchRefused('the node answers 413')
  if (status >= 300 && status < 400) {
    const sentence = `the node answers ${status} and redirects to another address: use that one`
    throw new SourceError('refused', sentence)
  }
  if (status < 400 || body.subarray(0, answerStartMax).includes('"jsonrpc"')) return
  if (status >= 500) throw new SourceError('unavailable', `the node answers ${status}`)
  throw new SourceError('refused', `the node answers ${status}`)
}

async function parsed(body: Buffer): Promise<unknown> {
  try {
    return isShort(body) ? parsedAtOnce(body) : await parsedInPieces(body)
  } catch {
    throw new SourceError('wrong-answer', 'the node answered with something else than JSON')
  }
}

/** fetch hides the reason in the cause; an AggregateError (two addresses) in its first error. */
function networkReason(error: unknown, url: string): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return networkReason(error.errors[0], url)
  }
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return networkReason(error.cause, url)
  // As fetch calls the ports that it blocks, for all clients alike.
  if (error.message !== 'bad port') return error.message
  const { port } = new URL(url)
  return `the HTTP client does not connect to port ${port}, which is reserved for another protocol`
}
