import type { Added, SharedCounts } from '../../../../libs/ports/shared-counts.ts'
import type { LimitVerdict } from '../../response/limit-headers.ts'

interface ClientCountsOptions {
  /** Null: this process counts alone. */
  readonly shared: SharedCounts | null
  readonly windowMs: number
  /** Clients counted each on its own at a time. */
  readonly clientsMax: number
  /** Milliseconds of a clock that never goes backward. */
  readonly now?: () => number
  readonly onSignal?: (signal: CountSignal, count: number) => void
}

/** Requests counted by this process alone, or together with those of other clients. */
type CountSignal = 'locally' | 'together'

/** Requests of one client in one window. */
interface Counter {
  /** Of all processes, as far as this one knows. */
  used: number
  /** Of this process. */
  own: number
  /** Of this process, not yet counted for all. */
  unsent: number
  /** Of this process, on their way to be counted for all. */
  sent: number
  /** What is on its way has arrived, or has failed. Never rejects; null: nothing is. */
  sending: Promise<void> | null
  /** The last ones could not be counted for all. */
  isAlone: boolean
  /** Its end is that of the window of all processes. */
  isPlaced: boolean
  endsAt: number
}

/** Clients beyond `clientsMax` share this many counters. */
const togetherMax = 1_024
/** Requests that wait until earlier ones are counted; further ones do not wait. */
const waitingMax = 8_192
/** Batches that make up a limit. */
const batchesPerLimit = 25
/** Between two looks for clients whose windows are over. */
const forgetEveryMs = 100

/** Requests of a client that one process admits at most before they are counted for all. */
export const requestsPerBatch = (limit: number): number =>
  Math.max(1, Math.floor(limit / batchesPerLimit))

/**
 * Counts requests of clients in windows that begin with the first one. A request is admitted by
 * what is known of its client, and counted for all processes afterwards, so that all of them admit
 * no more than a batch each beyond the limit. Only a client that is faster than half a batch for
 * each round trip waits for some, or one whose requests were counted alone for a while: for as many
 * round trips as these have batches.
 */
export class ClientCounts {
  private readonly options: ClientCountsOptions
  private readonly now: () => number
  private readonly counters = new Map<string, Counter>()
  private waiting = 0
  private forgottenAt = Number.NEGATIVE_INFINITY

  constructor(options: ClientCountsOptions) {
    this.options = options
    this.now = options.now ?? (() => performance.now())
  }

  /** Clients counted now, each on its own or with others. */
  get clients(): number {
    this.forgetOver(this.now())
    return this.counters.size
  }

  /** Counts one request. */
  take(client: string, limit: number): LimitVerdict | Promise<LimitVerdict> {
    const name = this.nameOf(client, limit)
    const counter = this.counterOf(name)
    if (awaited(counter, limit) === null) return this.takeNow(name, counter, limit)
    if (this.waiting < waitingMax) return this.takeLater(name, limit)
    this.signal('locally', 1)
    return this.takeNow(name, counter, limit)
  }

  private takeNow(name: string, counter: Counter, limit: number): LimitVerdict {
    if (counter.used >= limit) {
      // Others still have to learn what was counted here alone.
      if (counter.isAlone) this.sendIfDue(name, counter, limit)
      return this.verdict(counter, limit, false)
    }
    counter.used += 1
    counter.own += 1
    counter.unsent += 1
    if (counter.isAlone) this.signal('locally', 1)
    this.sendIfDue(name, counter, limit)
    return this.verdict(counter, limit, true)
  }

  private async takeLater(name: string, limit: number): Promise<LimitVerdict> {
    this.waiting += 1
    for (;;) {
      const counter = this.counterOf(name)
      const sending = awaited(counter, limit)
      if (sending === null) {
        this.waiting -= 1
        return this.takeNow(name, counter, limit)
      }
      await sending
    }
  }

  /** Of the counter: clients beyond the bound share those of their limit. */
  private nameOf(client: string, limit: number): string {
    if (this.counters.has(client)) return client
    const now = this.now()
    if (now - this.forgottenAt >= forgetEveryMs) this.forgetOver(now)
    if (this.counters.size < this.options.clientsMax) return client
    this.signal('together', 1)
    return `together ${limit} ${hashOf(client) % togetherMax}`
  }

  private counterOf(name: string): Counter {
    const now = this.now()
    const known = this.counters.get(name)
    if (known !== undefined && now < known.endsAt) return known
    // Behind all others: it ends after them.
    this.counters.delete(name)
    const endsAt = now + this.options.windowMs
    const state = {
      used: 0,
      own: 0,
      unsent: 0,
      sent: 0,
      sending: null,
      isAlone: false,
      isPlaced: false,
    }
    const counter: Counter = { ...state, endsAt }
    this.counters.set(name, counter)
    return counter
  }

  /** The first of them begin, and so end, first. */
  private forgetOver(now: number): void {
    this.forgottenAt = now
    for (const [name, { endsAt }] of this.counters) {
      if (now < endsAt) return
      this.counters.delete(name)
    }
  }

  /** At half a batch: the answer is there before the batch is full, unless the client is fast. */
  private sendIfDue(name: string, counter: Counter, limit: number): void {
    const { shared } = this.options
    const isDue = counter.unsent * 2 >= requestsPerBatch(limit) || counter.own === counter.unsent
    const { unsent, sending, endsAt } = counter
    if (shared === null || sending !== null || unsent === 0 || !isDue || this.now() >= endsAt)
      return
    // Of what has no answer, no more than a batch is not counted for all.
    counter.sent = Math.min(unsent, requestsPerBatch(limit))
    counter.unsent -= counter.sent
    counter.sending = shared
      .add(name, counter.sent)
      .catch(() => 'unknown' as const)
      .then((window) => this.settle(name, counter, { window, limit }))
  }

  private settle(
    name: string,
    counter: Counter,
    { window, limit }: { readonly window: Added; readonly limit: number },
  ): void {
    const { sent } = counter
    counter.sending = null
    counter.sent = 0
    if (window === 'unsent' || window === 'unknown') {
      // What may have been counted is not counted again: this process remembers it.
      if (window === 'unsent') counter.unsent += sent
      if (!counter.isAlone) this.signal('locally', sent)
      counter.isAlone = true
      return
    }
    counter.isAlone = false
    // A server that has lost its data counts less than this process has admitted.
    counter.used = Math.max(counter.own, window.requests + counter.unsent)
    // Not before it ends there, or each request in between would begin another. Later answers do
    // not put the end off, as those of a server that has lost its data would.
    const endsAt = this.now() + window.leftMs
    counter.endsAt = counter.isPlaced ? Math.min(counter.endsAt, endsAt) : endsAt
    counter.isPlaced = true
    this.sendIfDue(name, counter, limit)
  }

  private verdict({ used, endsAt }: Counter, limit: number, isAllowed: boolean): LimitVerdict {
    const remaining = isAllowed ? Math.max(0, limit - used) : 0
    return { isAllowed, limit, remaining, resetMs: Math.max(1, Math.ceil(endsAt - this.now())) }
  }

  private signal(signal: CountSignal, count: number): void {
    this.options.onSignal?.(signal, count)
  }
}

/** What a request of the client has to wait for; null: nothing. Never rejects. */
function awaited(counter: Counter, limit: number): Promise<void> | null {
  const { sending, isAlone, used, unsent, sent } = counter
  // Without an answer the next ones would wait for as long.
  if (sending === null || isAlone || used >= limit) return null
  return unsent + sent >= requestsPerBatch(limit) ? sending : null
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  }
  return hash
}
