import { setMaxListeners } from 'node:events'
import pLimit from 'p-limit'
import pRetry from 'p-retry'
import type { z } from 'zod'
import { SourceError } from '../../../ports/chain-source.ts'
import { events } from '../../../signals/events.ts'
import type { Log } from '../../../signals/log.ts'
import type { Metrics } from '../../../signals/metrics.ts'
import { pause } from '../../../signals/pause.ts'
import { runbooks } from '../../../signals/runbooks.ts'
import { BatchSize } from '../node-capabilities.ts'
import { RateLimited } from './http-transport.ts'
import {
  BatchRefused,
  isRateLimit,
  type OnHead,
  ResponseTooLarge,
  type RpcCall,
  RpcError,
  type RpcLimits,
  type RpcResponse,
  type RpcTransport,
  type SendOptions,
} from './rpc-transport.ts'

/** Log and metrics of a client. */
export interface RpcSignals {
  readonly log: Log
  readonly metrics?:
    | Pick<Metrics, 'nodeRetries' | 'nodeUnanswered' | 'nodeWrongAnswers'>
    | undefined
}

/**
 * Methods that run no contract: whatever error comes, it is the node's own word. All others go
 * through `BestEffortCalls`, so that no contract can bring a block to be asked for for ever.
 */
type NodeMethod =
  | 'eth_blockNumber'
  | 'eth_chainId'
  | 'eth_getBalance'
  | 'eth_getBlockByNumber'
  | 'eth_getBlockReceipts'
  | 'eth_getCode'
  | 'eth_getTransactionReceipt'

const [small, whole] = [64 * 1024, Number.POSITIVE_INFINITY]

/** What an honest answer may have, in bytes: no node is to fill the memory in place of a number. */
const answerBytesOf: Readonly<Record<NodeMethod, number>> = {
  eth_blockNumber: small,
  eth_chainId: small,
  eth_getBalance: small,
  eth_getBlockByNumber: whole,
  eth_getBlockReceipts: whole,
  eth_getCode: 1024 * 1024,
  eth_getTransactionReceipt: whole,
}

export interface NodeCall extends RpcCall {
  readonly method: NodeMethod
}

/** Asks a node in bounded batches, a bounded number at a time, and again when it fails. */
export class RpcClient {
  readonly limits: RpcLimits
  readonly signals: RpcSignals
  readonly #transport: RpcTransport
  readonly #slots: ReturnType<typeof pLimit>
  readonly #closing = new AbortController()
  readonly #batches: BatchSize

  constructor(transport: RpcTransport, limits: RpcLimits, signals: RpcSignals) {
    this.#transport = transport
    this.limits = limits
    this.signals = signals
    this.#slots = pLimit(limits.requestsMax)
    this.#batches = new BatchSize(limits.batchCallsMax)
    // One for each batch that waits: Node takes more than ten for a leak.
    setMaxListeners(0, this.#closing.signal)
  }

  /** Aborted when the source is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /** One question that every node must answer: an error is none. @throws SourceError */
  async call<F extends z.ZodType>(
    form: F,
    method: NodeMethod,
    params: readonly unknown[],
  ): Promise<z.output<F>> {
    const [answer] = await this.ask([{ method, params }])
    if (!answer) throw new SourceError('half-answer', `no answer to ${method}`)
    if ('error' in answer) {
      throw new SourceError('wrong-answer', new RpcError(method, answer.error).message)
    }
    const read = form.safeParse(answer.result)
    if (read.success) return read.data
    const reason = read.error.issues[0]?.message ?? 'malformed'
    throw new SourceError('wrong-answer', `${method}: ${reason}`)
  }

  /** One answer for each call, errors of the node among them. @throws SourceError */
  async ask(calls: readonly NodeCall[]): Promise<readonly RpcResponse[]> {
    const batches: Promise<readonly RpcResponse[]>[] = []
    const { callsMax } = this.#batches
    for (let at = 0; at < calls.length; at += callsMax) {
      const batch = calls.slice(at, at + callsMax)
      batches.push(this.#askBatch(batch, this.limits.retriesMax))
    }
    return (await Promise.all(batches)).flat()
  }

  /** One request, sent once, when its turn has come. @throws what the transport throws */
  sendOnce(calls: readonly RpcCall[], options: SendOptions): Promise<readonly RpcResponse[]> {
    return this.#slots(async () => {
      // A caller that has given up while it was queued needs no request any more.
      options.signal?.throwIfAborted()
      return this.#transport.send(calls, options)
    })
  }

  get hasSubscriptions(): boolean {
    return this.#transport.subscribeHeads !== undefined
  }

  /** @throws RpcError where the node has no subscriptions, SourceError */
  async subscribeHeads(onHead: OnHead): Promise<void> {
    const options = this.#sendOptions([{ method: 'eth_chainId', params: [] }])
    await this.#transport.subscribeHeads?.(onHead, options)
  }

  close(): void {
    this.#closing.abort(new SourceError('unreachable', 'the connection was closed'))
    this.#transport.close()
  }

  #sendOptions(batch: readonly NodeCall[]): SendOptions {
    const { requestTimeoutMs: timeoutMs, responseBytesMax } = this.limits
    const wanted = batch.reduce((sum, { method }) => sum + answerBytesOf[method], 0)
    return { timeoutMs, responseBytesMax: Math.min(responseBytesMax, wanted) }
  }

  /** A batch that the node rejects is sent in halves, with the remaining attempts. */
  async #askBatch(batch: readonly NodeCall[], retriesMax: number): Promise<readonly RpcResponse[]> {
    const { retryMinMs, retryMaxMs } = this.limits
    let retriesLeft = retriesMax
    try {
      return await pRetry(() => this.#sent(batch), {
        retries: retriesMax,
        minTimeout: retryMinMs,
        maxTimeout: retryMaxMs,
        randomize: true,
        signal: this.#closing.signal,
        shouldRetry: ({ error }) => isWorthRetrying(error) && !isTooMuch(error, batch),
        onFailedAttempt: ({ error, attemptNumber, retriesLeft: left }) => {
          retriesLeft = left
          return this.#failed(error, { attemptNumber, retriesLeft: left, batch })
        },
      })
    } catch (cause) {
      if (!(cause instanceof Error)) throw cause
      if (cause instanceof BatchRefused && batch.length > 1) {
        this.#refused(batch.length, cause)
        return this.#askHalves(batch, retriesMax)
      }
      if (isTooMuch(cause, batch) && (retriesLeft > 0 || !isTimeOut(cause))) {
        return this.#askHalves(batch, Math.max(0, retriesLeft - 1))
      }
      if (cause instanceof ResponseTooLarge) throw new SourceError('wrong-answer', cause.message)
      throw cause
    }
  }

  #refused(callsCount: number, { message }: Error): void {
    if (!this.#batches.refused(callsCount)) return
    const fields = { event: events.node.unsupported, batchCallsMax: this.#batches.callsMax }
    this.signals.log.warn(fields, `the node refused a batch of ${callsCount}: ${message}`)
  }

  async #askHalves(
    batch: readonly NodeCall[],
    retriesMax: number,
  ): Promise<readonly RpcResponse[]> {
    const half = Math.ceil(batch.length / 2)
    const first = await this.#askBatch(batch.slice(0, half), retriesMax)
    return [...first, ...(await this.#askBatch(batch.slice(half), retriesMax))]
  }

  async #sent(batch: readonly NodeCall[]): Promise<readonly RpcResponse[]> {
    const answers = await this.sendOnce(batch, this.#sendOptions(batch))
    this.#batches.answered()
    for (const answer of answers) {
      if ('error' in answer && isRateLimit(answer.error)) {
        const reason = answer.error.message || String(answer.error.code)
        throw new SourceError('rate-limited', `the node limits requests: ${reason}`)
      }
    }
    return answers
  }

  async #failed(
    error: Error,
    attempt: { attemptNumber: number; retriesLeft: number; batch: readonly NodeCall[] },
  ): Promise<void> {
    // What our own end cuts short is no failure of the node.
    if (!(error instanceof SourceError) || this.#closing.signal.aborted) return
    const { batch, attemptNumber, retriesLeft } = attempt
    const isRetried = retriesLeft > 0 && isWorthRetrying(error)
    if (isRetried) this.signals.metrics?.nodeRetries.inc({ reason: error.kind })
    const [method] = batch.map((call) => call.method)
    const fields = { event: events.node.retried, kind: error.kind, attemptNumber, retriesLeft }
    const sentence = `${method ?? 'a question'} to the node failed: ${error.message}`
    // One warning per request: the caller reports its last failure, with the consequence.
    const isFirst = attemptNumber === 1
    if (isFirst)
      this.signals.log.warn({ ...fields, method, runbook: runbooks.nodeUnavailable }, sentence)
    else this.signals.log.debug({ ...fields, method }, sentence)
    if (error instanceof RateLimited && retriesLeft > 0) {
      await pause(Math.min(error.retryAfterMs, this.limits.retryMaxMs), this.#closing.signal)
    }
  }
}

const isWorthRetrying = (error: Error): boolean =>
  error instanceof SourceError && error.kind !== 'refused'

/**
 * Fewer calls may do: a slow node has not answered in time, all answers together are large, or
 * answers are missing or wrong in a batch that the node should have refused.
 */
const isTooMuch = (error: Error, batch: readonly NodeCall[]): boolean =>
  batch.length > 1 &&
  (error instanceof ResponseTooLarge || (error instanceof SourceError && halved.has(error.kind)))

const isTimeOut = (error: Error): boolean =>
  error instanceof SourceError && error.kind === 'timed-out'

const halved: ReadonlySet<SourceError['kind']> = new Set([
  'timed-out',
  'half-answer',
  'wrong-answer',
])
