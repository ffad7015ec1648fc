import type { LimitVerdict } from './limit-verdict.ts'

/** Requests of one client in the current window. */
export interface Counter {
  readonly client: string
  limit: number
  /** Admitted by this process. */
  used: number
  /** Those, and what this process may admit without asking. */
  granted: number
  /** Not leased by any process, as of the last answer. */
  left: number
  /** Nothing is left, here and elsewhere: until the window ends, every request is refused. */
  isUsedUp: boolean
  /** Others know that this process may hold unused requests. */
  isShareable: boolean
  /** The window in which others need what is unused: it is given back, now and when it comes. */
  recalledIn: number
  mustReturn: boolean
  /** What others hold was recalled, and waited for long enough. */
  hasRecalled: boolean
  recallTimer: NodeJS.Timeout | null
  /** Others have returned some during the round trip under way. */
  isReturned: boolean
  isQueued: boolean
  /** The round trip under way: what was stated in it. */
  asked: { readonly used: number; readonly wanted: number } | null
  readonly waiting: ((verdict: LimitVerdict) => void)[]
}

export const newCounter = (client: string, limit: number): Counter => ({
  client,
  limit,
  used: 0,
  granted: 0,
  left: limit,
  isUsedUp: false,
  isShareable: false,
  recalledIn: -1,
  mustReturn: false,
  hasRecalled: false,
  recallTimer: null,
  isReturned: false,
  isQueued: false,
  asked: null,
  waiting: [],
})

/** For a new window. What waits goes on to wait; a round trip under way states nothing of it. */
export function restart(counter: Counter): void {
  const { client, limit, isQueued, recalledIn, asked, waiting } = counter
  stopWaiting(counter)
  Object.assign(counter, newCounter(client, limit), { isQueued, recalledIn, waiting })
  counter.asked = asked === null ? null : { used: 0, wanted: asked.wanted }
}

/** Leased requests are of the limit before: they are leased again. */
export function changeLimit(counter: Counter, limit: number): void {
  counter.limit = limit
  counter.granted = Math.min(counter.granted, counter.used)
  counter.isUsedUp = false
}

/** No longer waits for what others return. */
export function stopWaiting(counter: Counter): void {
  if (counter.recallTimer !== null) clearTimeout(counter.recallTimer)
  counter.recallTimer = null
}
