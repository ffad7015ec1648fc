import { setMaxListeners } from 'node:events'
import { BoundedQueue, type QueueCounts } from '../../libs/adapters/queue/bounded-queue.ts'
import { Overloaded } from './overloaded.ts'

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

/** A load that requests may wait for. */
export interface Load<T> {
  readonly loading: Promise<T>
  waiters: number
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
  begin<T>(task: LoadTask<T>): Load<T> {
    return { loading: this.loaded(task), waiters: 0 }
  }

  /** @throws Overloaded where too many wait already; else as the load does */
  async wait<T>(load: Load<T>): Promise<T> {
    const { waitersPerPageMax, waitersMax } = this.limits
    if (load.waiters >= waitersPerPageMax) {
      throw new Overloaded('too many wait for one page', `${load.waiters}`)
    }
    if (this.waiters >= waitersMax) {
      throw new Overloaded('too many wait for pages', `${this.waiters}`)
    }
    load.waiters += 1
    this.waiters += 1
    try {
      return await load.loading
    } finally {
      load.waiters -= 1
      this.waiters -= 1
    }
  }

  private async loaded<T>({ work, ended }: LoadTask<T>): Promise<T> {
    const { loadMsMax } = this.limits
    const deadline = new AbortController()
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

/** Rejects as soon as the signal aborts, however long the work goes on. */
const unlessAborted = <T>(working: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
    working.then(resolve, reject)
  })

const reasons = { full: 'too many page loads', late: 'page load not begun in time' } as const
