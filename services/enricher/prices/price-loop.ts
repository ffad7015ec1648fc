import { type EventLog, LogUnavailable } from '../../../libs/ports/event-log.ts'
import type { Web } from '../../../libs/ports/web.ts'
import { pause } from '../../../libs/signals/pause.ts'
import { encodeMessage } from '../../../libs/topics/codec.ts'
import { askSource, type SourceAnswer } from './ask-source.ts'
import type { CoinTurns } from './coin-turns.ts'
import type { PriceResult } from './judge-figures.ts'
import type { PriceSource } from './price-source.ts'
import { type Fact, type PriceQuestion, type SettledPrice, settledBy, urlOf } from './questions.ts'
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
  readonly web: Web
  readonly eventLog: EventLog
  readonly coin: CoinTurns
  readonly turns: TokenTurns
  readonly limits: PriceLimits
  readonly warn: (sentence: string) => void
  /** Of each price that was asked for. */
  readonly onSettled: (kind: PriceQuestion['kind'], judged: PriceResult) => void
  /** Once for each question without an answer. */
  readonly onFailed: (kind: PriceQuestion['kind']) => void
  readonly onAnswer: () => void
}

/** Asks one question after the other, and publishes what is new, until the signal aborts. */
export async function runPriceLoop(parts: PriceLoopParts, signal: AbortSignal): Promise<void> {
  const { source, limits } = parts
  const spacingMs = 60_000 / source.requestsPerMinute
  let retryMs = limits.retryMs
  let isCoinNext = true
  while (!signal.aborted) {
    const question = nextQuestion(parts, { isCoinNext, at: Date.now() })
    if (question === null) {
      await pause(limits.idleMs, signal)
      continue
    }
    isCoinNext = !isCoinNext
    const isDone = await answered(question, parts, signal)
    retryMs = isDone ? limits.retryMs : Math.min(retryMs * 2, limits.retryMaxMs)
    await pause(isDone ? spacingMs : Math.max(retryMs, spacingMs), signal)
  }
}

/** The coin and tokens take turns, where both are due. */
function nextQuestion(
  { source, coin, turns }: PriceLoopParts,
  { isCoinNext, at }: { readonly isCoinNext: boolean; readonly at: number },
): PriceQuestion | null {
  const moment = coin.next(at)
  const tokens = source.tokens === undefined ? [] : turns.next(at, source.tokens.addressesMax)
  const ofTokens: PriceQuestion | null = tokens.length > 0 ? { kind: 'tokens', tokens } : null
  const ofCoin: PriceQuestion | null = moment === null ? null : { kind: 'coin', moment }
  return isCoinNext ? (ofCoin ?? ofTokens) : (ofTokens ?? ofCoin)
}

/** @returns false where the source or the log failed: the question is still due */
async function answered(question: PriceQuestion, parts: PriceLoopParts, signal: AbortSignal) {
  const { source, web, warn, onFailed, onAnswer } = parts
  const answer = await unlessStopped(askSource(urlOf(question, source), web, signal), signal)
  if (answer === null) return true
  if (answer.kind === 'failed') {
    onFailed(question.kind)
    warn(`no prices of ${question.kind === 'coin' ? 'the coin' : 'tokens'}: ${answer.reason}`)
    return false
  }
  onAnswer()
  const json = answer.kind === 'json' ? answer.json : null
  const settled = settledBy({ question, json, seconds: Math.floor(Date.now() / 1_000) }, parts)
  if (!(await published(settled, parts))) return false
  settleAll(settled, parts)
  return true
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

function settleAll(
  settled: readonly SettledPrice[],
  { coin, turns, onSettled }: PriceLoopParts,
): void {
  const at = Date.now()
  for (const one of settled) {
    if (one.kind === 'coin') coin.settle(one.moment, one.price, at)
    else turns.settle(one.token, one.known, at)
    onSettled(one.kind, one.judged)
  }
}

async function published(settled: readonly SettledPrice[], { eventLog, warn }: PriceLoopParts) {
  const byTopic = new Map<string, Fact[]>()
  for (const fact of settled.flatMap(({ facts }) => facts)) {
    byTopic.set(fact.topic, [...(byTopic.get(fact.topic) ?? []), fact])
  }
  try {
    for (const [topic, facts] of byTopic) {
      const messages = facts.map(({ key, fact }) => ({ key, value: encodeMessage(fact) }))
      await eventLog.append(topic, messages)
    }
    return true
  } catch (error) {
    if (!(error instanceof LogUnavailable)) throw error
    warn(`prices not published: ${error.message}`)
    return false
  }
}
