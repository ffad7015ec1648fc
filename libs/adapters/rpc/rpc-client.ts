import pLimit from 'p-limit'
import pRetry from 'p-retry'
import type { z } from 'zod'
import { SourceTrouble } from '../../ports/node.ts'
import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'
import type { Metrics } from '../../signals/metrics.ts'
import { TooOften } from './http-transport.ts'
import type { RpcLimits } from './rpc-limits.ts'
import {
  BatchRefused,
  type OnHead,
  type RpcAnswer,
  type RpcCall,
  RpcError,
  type RpcTransport,
} from './rpc-transport.ts'

/** Where one speaks of a node. */
export interface RpcSignals {
  readonly log: Log
  readonly metrics?: Pick<Metrics, 'nodeRetries'> | undefined
}

/** Asks a node in bounded batches, a bounded number at a time, and again when it fails. */
export class RpcClient {
  readonly #transport: RpcTransport
  readonly #limits: RpcLimits
  readonly #log: Log
  readonly #metrics: RpcSignals['metrics']
  readonly #slots: ReturnType<typeof pLimit>
  readonly #closing = new AbortController()
  #batchCallsMax: number

  constructor(transport: RpcTransport, limits: RpcLimits, { log, metrics }: RpcSignals) {
    this.#transport = transport
    this.#limits = limits
    this.#log = log
    this.#metrics = metrics
    this.#slots = pLimit(limits.requestsMax)
    this.#batchCallsMax = limits.batchCallsMax
  }

  /** One question that every node must answer: an error is none. @throws SourceTrouble */
  async call<F extends z.ZodType>(
    form: F,
    method: string,
    params: readonly unknown[],
  ): Promise<z.output<F>> {
    const [answer] = await this.ask([{ method, params }])
    if (!answer) throw new SourceTrouble('half-answer', `no answer to ${method}`)
    if ('error' in answer) {
      throw new SourceTrouble('wrong-answer', new RpcError(method, answer.error).message)
    }
    const read = form.safeParse(answer.result)
    if (read.success) return read.data
    const reason = read.error.issues[0]?.message ?? 'malformed'
    throw new SourceTrouble('wrong-answer', `${method}: ${reason}`)
  }

  /** One answer for each call, errors of the node among them. @throws SourceTrouble */
  async ask(calls: readonly RpcCall[]): Promise<readonly RpcAnswer[]> {
    const batches: Promise<readonly RpcAnswer[]>[] = []
    for (let at = 0; at < calls.length; at += this.#batchCallsMax) {
      const batch = calls.slice(at, at + this.#batchCallsMax)
      batches.push(this.#slots(() => this.#askBatch(batch)))
    }
    return (await Promise.all(batches)).flat()
  }

  get hasSubscriptions(): boolean {
    return this.#transport.subscribeHeads !== undefined
  }

  /** @throws RpcError where the node has no subscriptions, SourceTrouble */
  async subscribeHeads(onHead: OnHead): Promise<void> {
    await this.#transport.subscribeHeads?.(onHead)
  }

  close(): void {
    this.#closing.abort(new SourceTrouble('unreachable', 'the connection was closed'))
    this.#transport.close()
  }

  async #askBatch(batch: readonly RpcCall[]): Promise<readonly RpcAnswer[]> {
    const { retriesMax, retryMinMs, retryMaxMs } = this.#limits
    try {
      return await pRetry(() => this.#transport.send(batch), {
        retries: retriesMax,
        minTimeout: retryMinMs,
        maxTimeout: retryMaxMs,
        randomize: true,
        signal: this.#closing.signal,
        shouldRetry: ({ error }) => error instanceof SourceTrouble && error.kind !== 'refused',
        onFailedAttempt: ({ error, attemptNumber, retriesLeft }) =>
          this.#failed(error, { attemptNumber, retriesLeft, method: batch[0]?.method }),
      })
    } catch (cause) {
      if (cause instanceof BatchRefused && batch.length > 1) return this.#askHalves(batch, cause)
      throw cause
    }
  }

  async #failed(
    error: Error,
    attempt: { attemptNumber: number; retriesLeft: number; method: string | undefined },
  ): Promise<void> {
    if (!(error instanceof SourceTrouble)) return
    const isRetried = attempt.retriesLeft > 0 && error.kind !== 'refused'
    if (isRetried) this.#metrics?.nodeRetries.inc({ reason: error.kind })
    const fields = { event: events.node.retried, kind: error.kind, ...attempt }
    this.#log.warn(fields, `${attempt.method ?? 'a question'} to the node failed: ${error.message}`)
    if (error instanceof TooOften && attempt.retriesLeft > 0) {
      await pause(Math.min(error.retryAfterMs, this.#limits.retryMaxMs), this.#closing.signal)
    }
  }

  async #askHalves(batch: readonly RpcCall[], cause: Error): Promise<readonly RpcAnswer[]> {
    const half = Math.ceil(batch.length / 2)
    this.#batchCallsMax = Math.min(this.#batchCallsMax, half)
    const fields = { event: events.node.lacks, batchCallsMax: this.#batchCallsMax }
    this.#log.warn(fields, `the node refused a batch of ${batch.length}: ${cause.message}`)
    const first = await this.#askBatch(batch.slice(0, half))
    return [...first, ...(await this.#askBatch(batch.slice(half)))]
  }
}

/** Resolves after `ms`, or at once when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })
}
