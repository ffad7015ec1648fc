import type { Lease, LeaseAnswer, SharedCounts } from '../../../libs/ports/shared-counts.ts'
import { type Clock, CountedWindow, type WindowEnd } from './counted-window.ts'
import { type Counter, changeLimit, newCounter, restart, stopWaiting } from './counter.ts'
import type { LimitVerdict } from './limit-verdict.ts'

export interface ClientCountsOptions {
  /** Null: this process counts alone. */
  readonly shared: SharedCounts | null
  readonly windowMs: number
  /** Clients counted each on its own, per window. */
  readonly clientsMax: number
  readonly clock?: Clock
  readonly onSignal?: (signal: CountSignal, count: number) => void
}

/** Requests counted by this process alone, or together with those of other clients. */
export type CountSignal = 'locally' | 'together'

/** Clients beyond `clientsMax` share this many counters. */
const togetherMax = 1_024
/** Clients of one round trip. */
const asksMax = 256
/** Requests that wait for a round trip; further ones are counted by this process alone. */
const waitingMax = 8_192
/** How long unused requests of other processes are waited for. */
const recallMs = 50

/**
 * Counts requests per client in fixed windows. While a lease lasts, and once a client is known to
 * have used up its limit, the answer takes no round trip and no promise.
 */
export class ClientCounts {
  private readonly shared: SharedCounts | null
  private readonly clientsMax: number
  private readonly signal: (signal: CountSignal, count: number) => void
  private readonly window: CountedWindow
  private counters = new Map<string, Counter>()
  /** Counters that need a round trip. While one is under way, further ones wait for the next. */
  private queue: Counter[] = []
  private isAsking = false
  private waiting = 0

  constructor({ shared, windowMs, clientsMax, clock, onSignal }: ClientCountsOptions) {
    this.shared = shared
    this.clientsMax = clientsMax
    this.signal = onSignal ?? (() => {})
    this.window = new CountedWindow(windowMs, clock)
    shared?.listen({
      recalled: (client, window) => this.recalled(client, window),
      returned: (client, window) => this.returned(client, window),
    })
  }

  /** Counts one request. A limit that differs from the last one holds from now on. */
  take(client: string, limit: number): LimitVerdict | Promise<LimitVerdict> {
    const isCurrent = this.window.isCurrent()
    if (!isCurrent && this.shared === null) this.enterWindow(this.window.ofOwnClock())
    const counter = this.counters.get(client) ?? this.added(client, limit)
    if (counter.limit !== limit) changeLimit(counter, limit)
    if (this.shared === null) return this.counted(counter)
    if (isCurrent) {
      if (counter.used < counter.granted) return this.admitted(counter)
      if (counter.isUsedUp) return this.verdict(counter, false)
    }
    if (this.waiting >= waitingMax) {
      this.signal('locally', 1)
      return this.counted(counter)
    }
    return new Promise((resolve) => {
      this.waiting++
      counter.waiting.push(resolve)
      if (counter.recallTimer === null) this.ask(counter)
    })
  }

  get clients(): number {
    return this.counters.size
  }

  private added(client: string, limit: number): Counter {
    const isTogether = this.counters.size >= this.clientsMax
    if (isTogether) this.signal('together', 1)
    const name = isTogether ? `together ${limit} ${hashOf(client) % togetherMax}` : client
    const known = this.counters.get(name)
    if (known !== undefined) return known
    const counter = newCounter(name, limit)
    this.counters.set(name, counter)
    return counter
  }

  private admitted(counter: Counter): LimitVerdict {
    counter.used++
    return this.verdict(counter, true)
  }

  private verdict({ limit, granted, used, left }: Counter, isAllowed: boolean): LimitVerdict {
    const { number: window } = this.window
    const remaining = isAllowed ? Math.max(0, left + granted - used) : 0
    return { isAllowed, limit, remaining, resetMs: this.window.resetMs(), window }
  }

  /** By what this process has admitted alone. */
  private counted(counter: Counter): LimitVerdict {
    if (counter.used >= counter.limit) return this.verdict(counter, false)
    counter.granted = Math.max(counter.granted, counter.used + 1)
    counter.left = counter.limit - counter.granted
    return this.admitted(counter)
  }

  private ask(counter: Counter): void {
    if (counter.isQueued) return
    counter.isQueued = true
    this.queue.push(counter)
    if (!this.isAsking) void this.askAll()
  }

  private async askAll(): Promise<void> {
    this.isAsking = true
    try {
      while (this.queue.length > 0) await this.askSome(this.queue.splice(0, asksMax))
    } finally {
      this.isAsking = false
    }
  }

  /** Never throws: what cannot be asked is counted locally. */
  private async askSome(counters: readonly Counter[]): Promise<void> {
    const asks = counters.map((counter) => {
      const { client, limit, used, mustReturn: isReturn } = counter
      const wanted = counter.waiting.length
      counter.asked = { used, wanted }
      counter.isQueued = false
      counter.mustReturn = false
      // What was leased and is unused is leased again, or by others.
      counter.granted = used
      return { client, limit, used, wanted, isReturn }
    })
    const askedAt = this.window.now()
    const { number: window, lengthMs: windowMs } = this.window
    const answer = await this.shared?.lease({ window, windowMs, asks }).catch(() => null)
    if (answer == null || answer.leases.length < asks.length) this.countLocally(counters)
    else this.applyAll(counters, answer, askedAt)
  }

  private countLocally(counters: readonly Counter[]): void {
    if (!this.window.isCurrent()) this.enterWindow(this.window.ofOwnClock())
    let requests = 0
    for (const counter of counters) {
      counter.asked = null
      requests += counter.waiting.length
      this.settle(counter, () => this.counted(counter))
      stopWaiting(counter)
      counter.isUsedUp = counter.used >= counter.limit
    }
    if (requests > 0) this.signal('locally', requests)
  }

  private applyAll(counters: readonly Counter[], answer: LeaseAnswer, askedAt: number): void {
    const { window: number, leftMs, nowMs, leases } = answer
    this.window.observed(nowMs)
    this.enterWindow({ number, leftMs, askedAt })
    for (const [at, counter] of counters.entries()) {
      const lease = leases[at]
      if (lease !== undefined) this.apply(counter, lease)
    }
  }

  private apply(counter: Counter, { granted, left, holders }: Lease): void {
    const { isReturned, asked } = counter
    const { used, wanted } = asked ?? { used: counter.used, wanted: 0 }
    counter.asked = null
    counter.isReturned = false
    counter.granted = used + granted
    counter.left = left
    counter.isUsedUp = left === 0 && (holders === 0 || counter.hasRecalled)
    counter.isShareable = granted > wanted
    while (counter.used < counter.granted && counter.waiting.length > 0) {
      this.resolve(counter, this.admitted(counter))
    }
    if (counter.isShareable && counter.recalledIn === this.window.number) this.giveBack(counter)
    // Also of an earlier answer, which is older than this one.
    stopWaiting(counter)
    if (counter.waiting.length === 0) return
    if (counter.isUsedUp) this.settle(counter, () => this.verdict(counter, false))
    else if (granted === wanted || left > 0 || isReturned) this.ask(counter)
    else this.awaitReturns(counter)
  }

  /** Other processes return what they hold unused; one that does not answer keeps it. */
  private awaitReturns(counter: Counter): void {
    counter.recallTimer = setTimeout(() => {
      counter.recallTimer = null
      counter.hasRecalled = true
      this.ask(counter)
    }, recallMs)
  }

  private recalled(client: string, window: number): void {
    const counter = this.counters.get(client)
    if (counter === undefined) return
    counter.recalledIn = window
    // While it is asked for, its lease is given back when it comes.
    const isHeld = counter.asked === null && counter.isShareable
    if (isHeld && window === this.window.number) this.giveBack(counter)
  }

  private giveBack(counter: Counter): void {
    counter.isShareable = false
    counter.isUsedUp = false
    counter.mustReturn = true
    counter.granted = Math.min(counter.granted, counter.used)
    this.ask(counter)
  }

  private returned(client: string, window: number): void {
    const counter = this.counters.get(client)
    if (counter === undefined || window !== this.window.number) return
    if (counter.asked !== null) counter.isReturned = true
    if (counter.recallTimer === null) return
    stopWaiting(counter)
    this.ask(counter)
  }

  private settle(counter: Counter, verdict: () => LimitVerdict): void {
    while (counter.waiting.length > 0) this.resolve(counter, verdict())
  }

  private resolve(counter: Counter, verdict: LimitVerdict): void {
    this.waiting--
    counter.waiting.shift()?.(verdict)
  }

  /** Counters of another window are dropped, but for those that requests wait for. */
  private enterWindow(window: WindowEnd): void {
    if (!this.window.enter(window)) return
    const kept: Counter[] = []
    for (const counter of this.counters.values()) {
      const { waiting, isQueued, asked } = counter
      if (waiting.length > 0 || isQueued || asked !== null) kept.push(counter)
      else stopWaiting(counter)
    }
    this.counters = new Map(kept.map((counter) => [counter.client, counter]))
    for (const counter of kept) {
      const isWaiting = counter.recallTimer !== null
      restart(counter)
      if (isWaiting) this.ask(counter)
    }
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  }
  return hash
}
