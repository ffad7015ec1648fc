import { setMaxListeners } from 'node:events'
import { type EventLog, LogUnavailable, OffsetLost } from '../../../libs/ports/event-log.ts'
import type { Web } from '../../../libs/ports/web.ts'
import { atMostEvery, warnEveryMs } from '../../../libs/signals/at-most-every.ts'
import { events } from '../../../libs/signals/events.ts'
import { type Log, silentLog } from '../../../libs/signals/log.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import { pause } from '../../../libs/signals/pause.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import { CoinTurns } from './coin-turns.ts'
import { knownCoinPrices, restoreTokens } from './known-facts.ts'
import { type PriceLimits, PriceLoop } from './price-loop.ts'
import type { PriceSource } from './price-source.ts'
import { type PriceKind, priceKinds } from './questions.ts'
import { followTokens } from './token-follower.ts'
import { type LeftOut, TokenTurns } from './token-turns.ts'

interface PricingOptions {
  readonly source: PriceSource
  /** Whose coin it is. */
  readonly chainId: number
  readonly eventLog: EventLog
  readonly web: Web
  readonly log?: Log
  readonly metrics?: Pick<Metrics, 'prices' | 'priceTime'>
  readonly limits?: Partial<PricingLimits>
}

interface PricingLimits extends PriceLimits {
  /** Tokens with a price; as many rates order balances. */
  readonly pricedMax: number
  /** Other tokens. */
  readonly unpricedMax: number
  /** Until a token or day without a price is asked for again, and until a price counts as gone. */
  readonly unpricedEveryMs: number
}

const defaults: PricingLimits = {
  retryMs: 5_000,
  retryMaxMs: 15 * 60_000,
  idleMs: 1_000,
  pricedMax: 10_000,
  unpricedMax: 10_000,
  unpricedEveryMs: 24 * 3_600_000,
}

/** Running questions for prices. */
export interface Pricing {
  /** Rejects when it cannot go on. */
  readonly failed: Promise<never>
  readonly stop: () => Promise<void>
}

/** Publishes prices of the coin and of tokens that move on the topics of facts. */
export function startPricing(options: PricingOptions): Pricing {
  const ending = new AbortController()
  const { signal } = ending
  setMaxListeners(0, signal)
  const running = run(options, signal)
  const failed = running.then(() => new Promise<never>(() => {}))
  // Awaited by whoever stops it, or not at all.
  failed.catch(() => {})
  return {
    failed,
    async stop() {
      ending.abort()
      await Promise.allSettled([running])
    },
  }
}

async function run(options: PricingOptions, signal: AbortSignal): Promise<void> {
  const { source, chainId, eventLog, log = silentLog, metrics } = options
  const limits = { ...defaults, ...options.limits }
  const isWarningDue = atMostEvery(warnEveryMs)
  const warn = (sentence: string) => {
    const fields = { event: events.prices.retried, runbook: runbooks.prices }
    log[isWarningDue() ? 'warn' : 'debug'](fields, sentence)
  }
  const onFresh = (kind: PriceKind) => metrics?.priceTime.set({ kind }, Date.now() / 1_000)
  for (const kind of priceKinds) if (source[kind] !== undefined) onFresh(kind)
  const everyMs = source.everySeconds * 1_000
  const { pricedMax, unpricedMax, unpricedEveryMs, retryMs } = limits
  const turns = new TokenTurns({ everyMs, pricedMax, unpricedMax, unpricedEveryMs }, (which) =>
    warn(sentenceOf(which, limits)),
  )
  const known = await untilRead(
    async () => {
      if (source.tokens !== undefined) await restoreTokens(eventLog, turns, signal)
      return knownCoinPrices(eventLog, chainId, signal)
    },
    { retryMs, warn, signal },
  )
  if (known === null) return
  const coin = new CoinTurns(known, {
    ...{ everyMs, jumpFactor: source.jumpFactor, from: source.history?.from ?? null },
    ...{ hasNow: source.coin !== undefined, absentMs: unpricedEveryMs },
  })
  log.info({ event: events.prices.started, known: turns.pricedCount }, 'asking for prices')
  const onResult = (kind: PriceKind, result: string) => metrics?.prices.inc({ kind, result })
  const parts = { ...options, coin, turns, limits, warn, onResult, onFresh }
  const looping = new PriceLoop({ ...parts, goneAfterMs: unpricedEveryMs }).run(signal)
  if (source.tokens === undefined) return looping
  await Promise.all([looping, followTokens({ eventLog, turns, retryMs, warn }, signal)])
}

const sentenceOf = (which: LeftOut, { pricedMax, unpricedMax }: PricingLimits): string =>
  which === 'priced'
    ? `more than ${pricedMax} tokens have a price: the others are asked for once a day`
    : `more than ${unpricedMax} tokens wait to be asked for: those that moved first are left out`

interface Reading {
  readonly retryMs: number
  readonly warn: (sentence: string) => void
  readonly signal: AbortSignal
}

/** Null where the signal aborts first. */
async function untilRead<T>(read: () => Promise<T>, { retryMs, warn, signal }: Reading) {
  while (!signal.aborted) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof LogUnavailable || error instanceof OffsetLost)) throw error
      warn(`what is known of prices was not read: ${error.message}`)
      await pause(retryMs, signal)
    }
  }
  return null
}
