import { z } from 'zod'
import { SourceError } from '../../../ports/chain-source.ts'

/** One question of JSON-RPC. */
export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** The error member of an answer, as the node sent it. */
interface RpcFailure {
  readonly code: number
  readonly message: string
  /** Of a revert mostly what the contract returned. */
  readonly data?: unknown
}

export type RpcResponse = { readonly result: unknown } | { readonly error: RpcFailure }

/** Bounds of one request. */
export interface SendOptions {
  /** From sending to the last byte. */
  readonly timeoutMs: number
  /** A larger answer is refused unread. */
  readonly responseBytesMax: number
  /** Ends the request before its time. */
  readonly signal?: AbortSignal
}

/**
 * Carries batches to a node and back; retries nothing.
 * Our own, thin, over `fetch` and `ws`: the batching of the chain libraries pairs answers with
 * questions by their order, so a node that leaves one out answers the wrong questions.
 */
export interface RpcTransport {
  /** One answer for each call, in its order. @throws SourceError, BatchRefused, ResponseTooLarge */
  send(calls: readonly RpcCall[], options: SendOptions): Promise<readonly RpcResponse[]>
  /**
   * Calls back at each new head, and once with `isLost` when the connection is gone.
   * @throws RpcError where the node has no subscriptions, SourceError
   */
  subscribeHeads?(onHead: OnHead, options: SendOptions): Promise<void>
  close(): void
}

export type OnHead = (isLost: boolean) => void

/** The node takes no batch of this size. */
export class BatchRefused extends Error {
  override readonly name = 'BatchRefused'
}

/** The answer to a request has more bytes than were asked for. */
export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge'

  constructor(bytesMax: number) {
    super(`an answer of more than ${bytesMax} bytes`)
  }
}

/** The node returned a JSON-RPC error. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number

  constructor(method: string, error: RpcFailure) {
    super(`${method}: ${error.message.slice(0, 300)} (${error.code})`)
    this.code = error.code
  }
}

/**
 * What errors of JSON-RPC mean. A contract chooses the words of its own revert, and some nodes
 * repeat them as they are: so words are looked at only where no contract took part (`isRateLimit`),
 * or where they can do no more than excuse the node (`isContractError`). Whether a node has lost a
 * state, lacks a block or takes no block hashes is found by asking it something else, see
 * `historical-state.ts` and `observe-state.ts`.
 */

/** Infura and others, proxyd, Alchemy within a batch, Ankr, QuickNode, BlockVision. */
const rateLimitCodes: ReadonlySet<number> = new Set([-32005, -32016, 429, -32029, -32007, -32605])
const rateLimitWords =
  /rate.?limit|too many requests|compute units|capacity exceeded|throttl|request limit/i

/** "Too often". Only for requests as a whole and for methods that run no contract. */
export const isRateLimit = ({ code, message }: RpcFailure): boolean =>
  rateLimitCodes.has(code) || rateLimitWords.test(message)

/** Geth's, Erigon's, Reth's, Besu's and Nethermind's code of a revert. */
const revertCode = 3
/** Also of virtual machines that have their own words for it. */
const revertWords = /revert/i
/** Failed executions other than reverts; the node itself works. */
const failedWords =
  /out of gas|gas uint64 overflow|opcode|invalid jump|bad (?:instruction|jump)|stack (?:under|over)flow|stack limit|write protection|illegal state change|vm (?:exception|execution)|evm error|call depth|return data out of bounds/i

/**
 * Whether the error of an `eth_call` comes from the contract, and not from the node. A contract
 * whose revert contains such words only counts as not answering.
 */
export function isContractError({ code, message, data }: RpcFailure): boolean {
  if (code === revertCode || revertWords.test(message) || failedWords.test(message)) return true
  // Nethermind and Parity before it: "VM execution error." with what came back as text.
  return typeof data === 'string' && data !== ''
}

/** EIP-1474, and what JSON-RPC itself has for it. */
const absentCodes: ReadonlySet<number> = new Set([-32601, -32004, -32042])

/** Whether the node reports by its code that it does not have the method. */
export const isMethodMissing = ({ code }: RpcFailure): boolean => absentCodes.has(code)

/** Malformed fields become empty: one odd error must not invalidate the other responses. */
const errorForm = z.object({
  code: z.number().catch(0),
  message: z.string().catch(''),
  data: z.unknown().optional(),
})
const answerForm = z.object({
  id: z.union([z.number(), z.string(), z.null()]).optional(),
  result: z.unknown().optional(),
  error: errorForm.nullish(),
})
type AnswerForm = z.output<typeof answerForm>

/**
 * Answers by id, in the order of `ids`. Nodes may shuffle them, leave some out, or answer a batch
 * with a single error. What an error means depends on its call, so it is not judged here.
 *
 * @throws SourceError if an answer is missing, foreign, or there twice
 * @throws BatchRefused if a batch met a single error
 */
export function matchResponses(ids: readonly number[], body: unknown): readonly RpcResponse[] {
  const answers = (Array.isArray(body) ? body : [body]).map(answerOf)
  if (!Array.isArray(body) && ids.length > 1) throw wholeRefused(answers[0]?.error)
  const byId = new Map(answers.map((answer) => [answer.id, answer]))
  const paired = ids.map((id) => {
    // A node that could not parse the request answers with id null; alone, it is still ours.
    const answer = byId.get(id) ?? (ids.length === 1 ? byId.get(null) : undefined)
    if (!answer && byId.has(String(id))) {
      const sentence = `the node answered question ${id} under the id "${id}", a text`
      throw new SourceError('wrong-answer', `${sentence}: JSON-RPC 2.0 requires the same value`)
    }
    if (!answer) {
      const sentence = `the node answered ${answers.length} of ${ids.length} questions`
      throw new SourceError('half-answer', `${sentence}: number ${id} is missing`)
    }
    return resultOf(answer)
  })
  if (byId.size < answers.length) {
    throw new SourceError('wrong-answer', 'the node answered one question twice')
  }
  return paired
}

/** The error is of the request, so no single call can have caused its words. */
function wholeRefused(error: AnswerForm['error']): Error {
  if (error && isRateLimit(error)) {
    const reason = error.message || String(error.code)
    return new SourceError('rate-limited', `the node limits requests: ${reason}`)
  }
  return new BatchRefused(error?.message || 'a batch was answered with one answer')
}

function resultOf({ result, error }: AnswerForm): RpcResponse {
  if (error) return { error }
  if (result !== undefined) return { result }
  throw new SourceError('half-answer', 'the node answered with neither result nor error')
}

function answerOf(raw: unknown): AnswerForm {
  const read = answerForm.safeParse(raw)
  if (read.success) return read.data
  throw new SourceError('wrong-answer', 'the node answered with something else than JSON-RPC')
}

/** Bounds of the conversation with a node. At each of them something is logged or thrown. */
export interface RpcLimits {
  /** Calls in one request; halved when the node refuses a batch. */
  readonly batchCallsMax: number
  /** Requests in flight at a time. */
  readonly requestsMax: number
  /** From sending to the last byte; beyond it the request is retried. */
  readonly requestTimeoutMs: number
  /** A larger answer is refused unread; of calls with small answers a part of it, see below. */
  readonly responseBytesMax: number
  /** Retries; after them the caller gets the error, and may try again later. */
  readonly retriesMax: number
  readonly retryMinMs: number
  /** Also the longest `Retry-After` that is obeyed. */
  readonly retryMaxMs: number
  /** Between two looks at the head, without a subscription. */
  readonly pollIntervalMs: number
  /** Between two looks at the head beside a subscription, which may die silently. */
  readonly subscribedPollIntervalMs: number
  /** Between two looks at the head in any case, however often the node announces it. */
  readonly headIntervalMinMs: number
  /** Gas of one `eth_call`: a contract that loops may burn this much and no more. */
  readonly callGas: number
  /** Bytes of the answer to one call of a contract; a batch may have as many times that. */
  readonly callResponseBytesMax: number
  /** Of one request that calls contracts. */
  readonly callTimeoutMs: number
  /** For all such requests about one block; what has not come by then is left out. */
  readonly callsTotalMs: number
  /** Traces in one request: each may take a node seconds. */
  readonly traceBatchCallsMax: number
  readonly traceTimeoutMs: number
  /** Bytes of the trace of one failed transaction, its input among them. */
  readonly traceBytesMax: number
  /** For the traces of one block; what has not come by then is left out. */
  readonly tracesTotalMs: number
}

export const rpcLimits: RpcLimits = {
  batchCallsMax: 64,
  requestsMax: 8,
  requestTimeoutMs: 20_000,
  responseBytesMax: 256 * 1024 * 1024,
  retriesMax: 5,
  retryMinMs: 250,
  retryMaxMs: 15_000,
  pollIntervalMs: 1_000,
  subscribedPollIntervalMs: 15_000,
  headIntervalMinMs: 10,
  callGas: 500_000,
  callResponseBytesMax: 64 * 1024,
  callTimeoutMs: 2_000,
  callsTotalMs: 6_000,
  traceBatchCallsMax: 8,
  traceTimeoutMs: 6_000,
  traceBytesMax: 1024 * 1024,
  tracesTotalMs: 20_000,
}
