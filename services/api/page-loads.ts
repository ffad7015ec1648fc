import { setMaxListeners } from 'node:events'
import { BoundedQueue, type QueueCounts } from '../../libs/adapters/queue/bounded-queue.ts'
import type { OnClose } from '../../libs/ports/http.ts'
import { ClientGone, Overloaded } from './overloaded.ts'

export interface PageLoadLimits {
  /** Pages loaded at once. */
  readonly loadsMax: number
  /** Loads that wait for their turn. */
  readonly loadsWaitingMax: number
  readonly loadWaitMsMax: number
  /** From the request that begins a load to the end of it, its wait included. */
  readonly loadMsMax: number
  /** Requests that wait for the load of another request: for one page, and in all. */
  readonly waitersPerPageMax: number
  readonly waitersMax: number
}

/** Queries of one page at once, at most: a list of 10,000 balances looks up 1,000 keys each. */
export const queriesPerPageMax = 64

/**
 * Twice the connections to ClickHouse, so that these are in use while pages wait for other things;
 * few enough that a page that has begun ends soon. All their queries fit into the queue of the
 * store, so that a page is refused before its first query and not in the middle.
 */
export const pageLoadLimits: PageLoadLimits = {
  loadsMax: 32,
  loadsWaitingMax: 480,
  loadWaitMsMax: 2_000,
  loadMsMax: 10_000,
  waitersPerPageMax: 2_048,
  waitersMax: 8_192,
}

export interface LoadTask<T> {
  /** Is to stop once the signal aborts: only then its place is free. */
  readonly work: (signal: AbortSignal) => Promise<T>
  /** Called when the load has ended, before anybody hears of it. */
  readonly ended: () => void
}

/** On the signal of a load, for each query that waits or was sent; more would be a leak. */
const listenersPerQuery = 4

/** A load that requests may wait for, the one that began it first of all. */
export interface Load<T> {
  readonly loading: Promise<T>
  /** Requests that wait for it. */
  waiters: number
  /** Takes it out of the queue; what has begun goes on, as the next request will want it. */
  readonly giveUp: (reason: Error) => void
}

/** Bounds the work for pages, and apart from it the requests that wait for such work. */
export class PageLoads {
  private readonly limits: PageLoadLimits
  private readonly queue: BoundedQueue
  private waiters = 0

  constructor(limits: Partial<PageLoadLimits> = {}, onChange?: (counts: QueueCounts) => void) {
    this.limits = { ...pageLoadLimits, ...limits }
    const { loadsMax, loadsWaitingMax, loadWaitMsMax } = this.limits
    this.queue = new BoundedQueue({
      runningMax: loadsMax,
      waitingMax: loadsWaitingMax,
      waitMsMax: loadWaitMsMax,
      refusal: (kind, sentence) => new Overloaded(reasons[kind], sentence),
      onChange,
    })
  }

  /** The load rejects with Overloaded where too many wait, or it is not done in time. */
  begin<T>({ work, ended }: LoadTask<T>): Load<T> {
    const ending = new AbortController()
    let hasBegun = false
    const begun = (signal: AbortSignal) => {
      hasBegun = true
      return work(signal)
    }
    return {
      loading: this.loaded({ work: begun, ended }, ending),
      waiters: 0,
      giveUp: (reason) => {
        if (!hasBegun) ending.abort(reason)
      },
    }
  }

  /**
   * @param isFirst whether this request began the load
   * @throws Overloaded where too many wait already, ClientGone, else as the load does
   */
  async wait<T>(load: Load<T>, { isFirst, onGone }: Wait): Promise<T> {
    const { waitersPerPageMax, waitersMax } = this.limits
    // The first one has its place in the queue of loads.
    if (!isFirst && load.waiters > waitersPerPageMax) {
      throw new Overloaded('too many wait for one page', `${waitersPerPageMax}`)
    }
    if (!isFirst && this.waiters >= waitersMax) {
      throw new Overloaded('too many wait for pages', `${waitersMax}`)
    }
    load.waiters += 1
    if (!isFirst) this.waiters += 1
    try {
      return await unlessGone(load.loading, onGone)
    } finally {
      load.waiters -= 1
      if (!isFirst) this.waiters -= 1
      if (load.waiters === 0) load.giveUp(new ClientGone('all who waited for it have left'))
    }
  }

  private async loaded<T>({ work, ended }: LoadTask<T>, deadline: AbortController): Promise<T> {
    const { loadMsMax } = this.limits
    const { signal } = deadline
    setMaxListeners(listenersPerQuery * queriesPerPageMax, signal)
    const timer = setTimeout(() => {
      deadline.abort(new Overloaded('page load not ended in time', `${loadMsMax} ms are over`))
    }, loadMsMax)
    try {
      return await unlessAborted(
        this.queue.run(() => work(signal), signal),
        signal,
      )
    } finally {
      clearTimeout(timer)
      ended()
    }
  }
}

/** Of a request that waits. */
interface Wait {
  readonly isFirst: boolean
  readonly onGone?: OnClose | undefined
}

const unlessGone = <T>(loading: Promise<T>, onGone: OnClose | undefined): Promise<T> =>
  onGone === undefined
    ? loading
    : new Promise((resolve, reject) => {
        onGone(() => reject(new ClientGone('the client has left')))
        loading.then(resolve, reject)
      })

/** Rejects as soon as the signal aborts, however long the work goes on. */
const unlessAborted = <T>(working: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
    working.then(resolve, reject)
  })

const reasons = { full: 'too many page loads', late: 'page load not begun in time' } as const
