import { type EventLog, LogUnavailable } from '../../../libs/ports/event-log.ts'
import type { Web } from '../../../libs/ports/web.ts'
import { pause } from '../../../libs/signals/pause.ts'
import { encodeMessage } from '../../../libs/topics/codec.ts'
import { askSource, type SourceAnswer } from './ask-source.ts'
import { type CoinTurns, now, utcDay } from './coin-turns.ts'
import type { PriceResult } from './judge-figures.ts'
import type { PriceSource } from './price-source.ts'
import {
  type PriceKind,
  type PriceQuestion,
  priceKinds,
  type SettledPrice,
  settledBy,
  urlOf,
} from './questions.ts'
import type { TokenTurns } from './token-turns.ts'

export interface PriceLimits {
  /** Until a source or log that failed is tried again; doubled up to `retryMaxMs`. */
  readonly retryMs: number
  readonly retryMaxMs: number
  /** Between two looks for what is due. */
  readonly idleMs: number
}

interface PriceLoopParts {
  readonly source: PriceSource
  readonly chainId: number
  readonly goneAfterMs: number
  readonly web: Web
  readonly eventLog: EventLog
  readonly coin: CoinTurns
  readonly turns: TokenTurns
  readonly limits: PriceLimits
  readonly warn: (sentence: string) => void
  /** Of each price that was asked for; `failed` once for each question without an answer. */
  readonly onResult: (kind: PriceKind, result: PriceResult | 'failed') => void
  /** All that is due of a kind has been answered and published. */
  readonly onFresh: (kind: PriceKind) => void
}

/** When a kind of questions may go on after a failure, each apart from the others. */
interface Pace {
  notBefore: number
  retryMs: number
}

/** Asks one question after the other, and publishes what is new. */
export class PriceLoop {
  readonly #parts: PriceLoopParts
  readonly #paces: Readonly<Record<PriceKind, Pace>>
  /** They take turns. */
  #kinds: readonly PriceKind[]
  /** Halved by each failure: one address may be what the source cannot answer. */
  #tokensMax: number

  constructor(parts: PriceLoopParts) {
    this.#parts = parts
    const { retryMs } = parts.limits
    const pace = () => ({ notBefore: Number.NEGATIVE_INFINITY, retryMs })
    this.#paces = { coin: pace(), history: pace(), tokens: pace() }
    this.#kinds = priceKinds.filter((kind) => parts.source[kind] !== undefined)
    this.#tokensMax = parts.source.tokens?.addressesMax ?? 1
  }

  /** Until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { source, limits } = this.#parts
    const spacingMs = 60_000 / source.requestsPerMinute
    while (!signal.aborted) {
      const question = this.#next()
      if (question !== null) await this.#answer(question, signal)
      await pause(question === null ? limits.idleMs : spacingMs, signal)
    }
  }

  #next(): PriceQuestion | null {
    const at = performance.now()
    const { onFresh } = this.#parts
    for (const kind of this.#kinds) {
      const pace = this.#paces[kind]
      if (at < pace.notBefore) continue
      const question = this.#questionOf(kind, at)
      if (question === null) onFresh(kind)
      else {
        this.#kinds = [...this.#kinds.filter((other) => other !== kind), kind]
        return question
      }
    }
    return null
  }

  #questionOf(kind: PriceKind, at: number): PriceQuestion | null {
    const { coin, turns } = this.#parts
    if (kind === 'coin') return coin.isNowDue(at) ? { kind, moment: now } : null
    if (kind === 'history') {
      const moment = coin.nextDay(at, utcDay(Date.now()))
      return moment === null ? null : { kind, moment }
    }
    const tokens = turns.next(at, this.#tokensMax)
    return tokens.length === 0 ? null : { kind, tokens }
  }

  async #answer(question: PriceQuestion, signal: AbortSignal): Promise<void> {
    const { source, web, onResult } = this.#parts
    const { kind } = question
    const answer = await unlessStopped(askSource(urlOf(question, source), web, signal), signal)
    if (answer === null) return
    if (isFailure(question, answer)) {
      onResult(kind, 'failed')
      this.#failed(kind, `no prices (${kind}): ${answer.reason}`)
      this.#postpone(question)
      return
    }
    const json = answer.kind === 'json' ? answer.json : null
    const seconds = Math.floor(Date.now() / 1_000)
    const settled = settledBy({ question, json, seconds, at: performance.now() }, this.#parts)
    if (await this.#published(kind, settled)) this.#settle(kind, settled)
  }

  /** Others have their turn first, and fewer tokens are asked for together. */
  #postpone(question: PriceQuestion): void {
    const { coin, turns } = this.#parts
    const at = performance.now()
    if (question.kind !== 'tokens') {
      coin.postpone(question.moment, at)
      return
    }
    for (const token of question.tokens) turns.postpone(token, at)
    this.#tokensMax = Math.max(1, Math.floor(this.#tokensMax / 2))
  }

  #failed(kind: PriceKind, sentence: string): void {
    const { limits, warn } = this.#parts
    const pace = this.#paces[kind]
    pace.notBefore = performance.now() + pace.retryMs
    pace.retryMs = Math.min(2 * pace.retryMs, limits.retryMaxMs)
    warn(sentence)
  }

  #settle(kind: PriceKind, settled: readonly SettledPrice[]): void {
    const { coin, turns, limits, source, onResult, onFresh } = this.#parts
    const at = performance.now()
    for (const one of settled) {
      if ('moment' in one) coin.settle(one.moment, one.price, at)
      else turns.settle(one.token, one.known, at)
      onResult(kind, one.result)
    }
    this.#paces[kind].retryMs = limits.retryMs
    if (kind === 'tokens') {
      this.#tokensMax = Math.min(source.tokens?.addressesMax ?? 1, 2 * this.#tokensMax)
    }
    if (settled.some(({ result }) => result !== 'none')) onFresh(kind)
  }

  /** @returns false where the log failed: all of it is still due */
  async #published(kind: PriceKind, settled: readonly SettledPrice[]): Promise<boolean> {
    const byTopic = new Map<string, SettledPrice['facts'][number][]>()
    for (const fact of settled.flatMap(({ facts }) => facts)) {
      byTopic.set(fact.topic, [...(byTopic.get(fact.topic) ?? []), fact])
    }
    try {
      for (const [topic, facts] of byTopic) {
        const messages = facts.map(({ key, fact }) => ({ key, value: encodeMessage(fact) }))
        await this.#parts.eventLog.append(topic, messages)
      }
      return true
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error
      this.#failed(kind, `prices not published: ${error.message}`)
      return false
    }
  }
}

/** A source may know no price of a day, or of one token; of all else a path is wrong. */
function isFailure(
  question: PriceQuestion,
  answer: SourceAnswer,
): answer is Exclude<SourceAnswer, { kind: 'json' }> {
  if (answer.kind !== 'absent') return answer.kind === 'failed'
  return question.kind === 'tokens' ? question.tokens.length > 1 : question.kind === 'coin'
}

/** Null where the signal aborted: what comes of the request is nobody's. */
async function unlessStopped(asked: Promise<SourceAnswer>, signal: AbortSignal) {
  try {
    return await asked
  } catch (error) {
    if (signal.aborted) return null
    throw error
  }
}
