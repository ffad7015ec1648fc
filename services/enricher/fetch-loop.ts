import { SourceError } from '../../libs/ports/chain-source.ts'
import { type EventLog, LogUnavailable } from '../../libs/ports/event-log.ts'
import type { TokenUris, UriResult } from '../../libs/ports/token-uris.ts'
import type { Web } from '../../libs/ports/web.ts'
import { atMostEvery, warnEveryMs } from '../../libs/signals/at-most-every.ts'
import { events } from '../../libs/signals/events.ts'
import { linkedAbort } from '../../libs/signals/linked-abort.ts'
import type { Log } from '../../libs/signals/log.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import { pause } from '../../libs/signals/pause.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { instanceFactKey } from '../../libs/topics/facts/instance-facts.ts'
import { fetchNft, type Gateways } from './fetch-nft.ts'
import type { EnricherLimits } from './limits.ts'
import type { DueNft, NftQueue } from './nft-queue.ts'
import { type NftResult, resultOf } from './nft-result.ts'

export const factsTopic = 'instance-facts'

export interface FetchParts {
  readonly queue: NftQueue
  readonly uris: TokenUris
  readonly web: Web
  readonly gateways: Gateways
  readonly eventLog: EventLog
  readonly log: Log
  readonly metrics?: Pick<Metrics, 'enricherFetched'> | undefined
  readonly limits: EnricherLimits
}

/**
 * Takes due NFTs from the queue, fetches what their contracts name, publishes the facts, and only
 * then settles them in the queue: a kill in between has them fetched again.
 */
export class FetchLoop {
  readonly #parts: FetchParts
  readonly #signal: AbortSignal
  readonly #running = new Set<Promise<void>>()
  readonly #isWarningDue = atMostEvery(warnEveryMs)
  #results: NftResult[] = []
  #oldestResultAt = 0
  #failure: { readonly cause: unknown } | null = null
  /** By the clock of `performance`: nothing is taken before. */
  #pausedUntil = 0
  #wake: () => void = () => {}

  constructor(parts: FetchParts, signal: AbortSignal) {
    this.#parts = parts
    this.#signal = signal
  }

  /** Until the signal aborts. @throws what no attempt can cause: the volume is another process's */
  async run(): Promise<void> {
    const { queue, limits } = this.#parts
    while (!this.#signal.aborted) {
      if (this.#failure !== null) throw this.#failure.cause
      if (this.#isPublishDue) await this.#publish()
      const now = Date.now()
      await queue.tend(now)
      const free = Math.min(limits.urisMax, limits.fetchesMax - queue.takenCount)
      const isPaused = performance.now() < this.#pausedUntil
      const due = free > 0 && !isPaused ? queue.take(now, free) : []
      if (due.length > 0) this.#begin(due)
      else await this.#change()
    }
    await Promise.all(this.#running)
  }

  get #isPublishDue(): boolean {
    const { resultsMax, publishAfterMs } = this.#parts.limits
    if (this.#results.length === 0) return false
    const isOld = performance.now() - this.#oldestResultAt >= publishAfterMs
    return isOld || this.#results.length >= resultsMax || this.#running.size === 0
  }

  /** Resolves when an attempt ends, or it may be time to publish or to take more. */
  async #change(): Promise<void> {
    const own = linkedAbort(this.#signal)
    this.#wake = own.end
    await pause(this.#parts.limits.publishAfterMs, own.signal)
    own.end()
  }

  #begin(due: readonly DueNft[]): void {
    const attempt = this.#fetchAll(due)
      .catch((cause: unknown) => {
        this.#failure ??= { cause }
      })
      .finally(() => {
        this.#running.delete(attempt)
        this.#wake()
      })
    this.#running.add(attempt)
  }

  async #fetchAll(due: readonly DueNft[]): Promise<void> {
    const begun = performance.now()
    const uris = await this.#urisOf(due)
    if (uris !== null) {
      const askedMs = performance.now() - begun
      const fetches = due.map((nft, at) =>
        this.#fetchOne(nft, uris[at] ?? { kind: 'cut-off' }, askedMs),
      )
      await Promise.all(fetches)
      return
    }
    this.#pauseTaking(this.#parts.limits.retryMs)
    this.#parts.queue.release(due)
  }

  /** Null if the node failed, or this ends: a node that hangs is not waited for. */
  async #urisOf(due: readonly DueNft[]): Promise<readonly UriResult[] | null> {
    try {
      return await untilAborted(this.#parts.uris.ask(due), this.#signal)
    } catch (error) {
      if (!(error instanceof SourceError)) throw error
      const level = this.#isWarningDue() ? 'warn' : 'debug'
      const fields = { event: events.enricher.retried, runbook: runbooks.metadata }
      this.#parts.log[level](fields, `no URIs of NFTs from the node: ${error.message}`)
      return null
    }
  }

  async #fetchOne(nft: DueNft, uri: UriResult, askedMs: number): Promise<void> {
    const { web, gateways, limits } = this.#parts
    const begun = performance.now()
    const own = linkedAbort(this.#signal)
    const timer = setTimeout(() => own.end(), limits.fetchTimeoutMs)
    const fetched = await fetchNft(nft, uri, { web, gateways, signal: own.signal }).finally(() => {
      clearTimeout(timer)
      own.end()
    })
    // What was cut off by the stop did not fail: it is still due at the next start.
    if (this.#signal.aborted) return
    if (fetched.kind === 'busy') this.#pauseTaking(limits.busyTakePauseMs)
    const tookMs = uri.kind === 'unanswered' ? askedMs : performance.now() - begun
    this.#add(resultOf(nft, fetched, { now: Date.now(), tookMs, limits }))
  }

  #pauseTaking(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + ms)
  }

  #add(result: NftResult): void {
    if (this.#results.length === 0) this.#oldestResultAt = performance.now()
    this.#results.push(result)
    this.#wake()
  }

  async #publish(): Promise<void> {
    const { queue, eventLog, metrics, limits, log } = this.#parts
    const results = this.#results
    this.#results = []
    queue.assertHeld()
    const facts = results.flatMap(({ fact }) => fact ?? [])
    const messages = facts.map((fact) => ({
      key: instanceFactKey(fact),
      value: encodeMessage(fact),
    }))
    while (messages.length > 0) {
      try {
        await eventLog.append(factsTopic, messages)
        break
      } catch (error) {
        if (!(error instanceof LogUnavailable)) throw error
        if (this.#signal.aborted) return
        const level = this.#isWarningDue() ? 'warn' : 'debug'
        const fields = { event: events.enricher.retried, runbook: runbooks.metadata }
        log[level](fields, `facts not published: ${error.message}`)
        await pause(limits.retryMs, this.#signal)
      }
    }
    await queue.settle(results, Date.now())
    for (const { word } of results) {
      if (word !== null) metrics?.enricherFetched.inc({ result: word })
    }
  }
}

/** Null if the signal aborts first; what comes of the work then is nobody's. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const end = () => resolve(null)
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end))
  })
}
