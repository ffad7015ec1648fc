import { setMaxListeners } from 'node:events'
import { BoundedQueue, type OnJoin, type QueueCounts } from '../../../libs/bounds/bounded-queue.ts'
import { Overloaded } from '../../../libs/bounds/overloaded.ts'
import type { OnClose } from '../../../libs/ports/http.ts'

export interface PageLoadLimits {
  /** Concurrent loads. */
  readonly loadsMax: number
  /** Concurrent loads of one client, where so many are active that its share would be smaller. */
  readonly loadsPerClientMin: number
  /** Concurrent loads of all clients up to which no share counts. */
  readonly loadsUnsharedMax: number
  /** Queued loads. */
  readonly loadsWaitingMax: number
  readonly loadWaitMsMax: number
  /** Deadline of a load, its time in the queue included. */
  readonly loadMsMax: number
  /**
   * Requests that wait for the load of another request: per page, and in total; of one client no
   * more than are left for others.
   */
  readonly waitersPerPageMax: number
  readonly waitersMax: number
}

/** Concurrent queries of one page: a list of 10,000 balances looks up 1,000 keys in each. */
export const queriesPerPageMax = 64

/**
 * Loads are twice as many as first pages share a query (`libs/queries/reading/first-pages.ts`), as
 * they are in different rounds of their queries, and few enough that their results, at most 1 MiB
 * each without a slot for large ones, fit into memory: 128 MiB. All their queries fit into the
 * queue of the store, so that a load is rejected before its first query, never in the middle.
 */
export const pageLoadLimits: PageLoadLimits = {
  loadsMax: 128,
  loadsPerClientMin: 4,
  loadsUnsharedMax: 8,
  loadsWaitingMax: 480,
  loadWaitMsMax: 2_000,
  loadMsMax: 10_000,
  waitersPerPageMax: 4_096,
  waitersMax: 16_384,
}

export interface LoadTask<T> {
  /** Precedes `work` without a slot, so must end in time by itself. Null: `work` is needed. */
  readonly lookUp?: () => Promise<T | null>
  /** Must settle once the signal aborts: only then its slot is released. */
  readonly work: (signal: AbortSignal) => Promise<T>
  /** Whose request started it: queued loads of different clients begin in turn. */
  readonly client: (() => string) | undefined
  /** Called when the load has ended, before its promise settles. */
  readonly ended: () => void
}

/** Abort listeners of each queued or running query of a load; more indicate a leak. */
const listenersPerQuery = 4

/** Clients that joined during a lookup, of whom one may have room where the first one has none. */
const joinedMax = 16

/** A load that requests wait for, the one that started it included. */
export interface Load<T> {
  readonly loading: Promise<T>
  /** Requests that wait for it. */
  waiters: number
  /** Of those that did not start it. */
  readonly places: WaitingPlaces
  /** A request of this client waits for it too. */
  readonly join: (client: string) => void
  /** Removes a queued load; a started one continues, as the next request will need the page. */
  readonly cancel: () => void
}

/** Bounds concurrent page loads and, separately, the requests that wait for them. */
export class PageLoads {
  private readonly limits: PageLoadLimits
  private readonly queue: BoundedQueue
  private readonly places: WaitingPlaces

  constructor(limits: Partial<PageLoadLimits> = {}, onChange?: (counts: QueueCounts) => void) {
    this.limits = { ...pageLoadLimits, ...limits }
    const { loadsMax, loadsPerClientMin, loadsUnsharedMax } = this.limits
    const { loadsWaitingMax, loadWaitMsMax, waitersMax } = this.limits
    this.places = new WaitingPlaces(waitersMax)
    this.queue = new BoundedQueue({
      runningMax: loadsMax,
      ownMin: loadsPerClientMin,
      unsharedMax: loadsUnsharedMax,
      waitingMax: loadsWaitingMax,
      waitMsMax: loadWaitMsMax,
      rejection: (kind, sentence) => new Overloaded(reasons[kind], sentence),
      onChange,
    })
  }

  /** The error that a load of this client rejects with at once; null if it would run or wait. */
  refusal(client: () => string): Error | null {
    return this.queue.isFull ? this.queue.refusal(client()) : null
  }

  /** The load rejects with Overloaded when the queue is full or the deadline has passed. */
  begin<T>(task: LoadTask<T>): Load<T> {
    return new QueuedLoad(task, this.queue, this.limits)
  }

  /**
   * @param isFirst whether this request started the load
   * @throws Overloaded when too many requests wait, ClientGone, else as the load does
   */
  async wait<T>(load: Load<T>, { isFirst, onGone, client }: Wait): Promise<T> {
    // The first request is bounded by the queue of loads.
    const release = isFirst ? null : this.takePlace(load, client)
    load.waiters += 1
    try {
      return await unlessGone(load.loading, onGone)
    } finally {
      load.waiters -= 1
      release?.()
      if (load.waiters === 0) load.cancel()
    }
  }

  /** @returns what gives the place back. @throws Overloaded */
  private takePlace<T>(load: Load<T>, client: (() => string) | undefined): () => void {
    const { waitersPerPageMax, waitersMax } = this.limits
    const name = client?.()
    if (!load.places.hasPlace(name)) {
      throw new Overloaded('too many wait for one page', placesOf(waitersPerPageMax))
    }
    if (!this.places.hasPlace(name)) {
      throw new Overloaded('too many wait for pages', placesOf(waitersMax))
    }
    const taken = [load.places, this.places]
    for (const places of taken) places.take(name)
    if (name !== undefined) load.join(name)
    return () => {
      for (const places of taken) places.release(name)
    }
  }
}

class QueuedLoad<T> implements Load<T> {
  readonly loading: Promise<T>
  waiters = 0
  readonly places: WaitingPlaces
  private readonly queue: BoundedQueue
  private readonly loadMsMax: number
  /** Null unless it is queued: only then it can be cancelled. */
  private queued: AbortController | null = null
  private isLookingUp = false
  /** Clients that joined during the lookup, when nothing was queued. */
  private readonly joined = new Set<string>()
  private onJoined: ((client: string) => void) | null = null

  constructor(task: LoadTask<T>, queue: BoundedQueue, limits: PageLoadLimits) {
    this.queue = queue
    this.loadMsMax = limits.loadMsMax
    this.places = new WaitingPlaces(limits.waitersPerPageMax)
    this.loading = this.load(task)
  }

  join(client: string): void {
    if (this.onJoined !== null) this.onJoined(client)
    else if (this.isLookingUp && this.joined.size < joinedMax) this.joined.add(client)
  }

  cancel(): void {
    this.queued?.abort(allGone())
  }

  private async load(task: LoadTask<T>): Promise<T> {
    try {
      if (task.lookUp !== undefined) {
        this.isLookingUp = true
        const found = await task.lookUp()
        this.isLookingUp = false
        if (found !== null) return found
        if (this.waiters === 0) throw allGone()
      }
      return await this.inQueue(task)
    } finally {
      task.ended()
    }
  }

  private async inQueue({ work, client }: LoadTask<T>): Promise<T> {
    const { loadMsMax } = this
    // Before anything is prepared: a greedy client is refused thousands of times a second.
    const by = this.admitted(client?.())
    const deadline = new AbortController()
    const { signal } = deadline
    setMaxListeners(listenersPerQuery * queriesPerPageMax, signal)
    const timer = setTimeout(() => {
      deadline.abort(new Overloaded('page load not ended in time', `deadline of ${loadMsMax} ms`))
    }, loadMsMax)
    const begun = () => {
      this.queued = null
      return work(signal)
    }
    const onJoin: OnJoin = (listener) => {
      this.onJoined = listener
      for (const other of this.joined) listener(other)
      this.joined.clear()
    }
    this.queued = deadline
    try {
      const running = this.queue.run(begun, { signal, client: by, onJoin })
      return await unlessAborted(running, signal)
    } catch (error) {
      // Once it has begun, its other queries and its place among large loads are of no use any
      // more. An error of their own: they would retry for some that this one may be.
      if (this.queued === null && !signal.aborted) {
        deadline.abort(new Error('another query of the page failed', { cause: error }))
      }
      throw error
    } finally {
      this.queued = null
      clearTimeout(timer)
    }
  }

  /**
   * Who it is queued for: who began it, else one that joined during the lookup, which would not be
   * refused a load of its own. @throws the rejection
   */
  private admitted(first: string | undefined): string | undefined {
    const refusal = this.queue.refusal(first)
    if (refusal === null) return first
    for (const client of this.joined) {
      if (this.queue.refusal(client) === null) return client
    }
    throw refusal
  }
}

const placesOf = (max: number) => `no place left for this client of ${max}`

const allGone = () => new ClientGone('all waiting clients have disconnected')

/** A waiting request. */
interface Wait {
  readonly isFirst: boolean
  readonly onGone?: OnClose | undefined
  readonly client?: (() => string) | undefined
}

const unlessGone = <T>(loading: Promise<T>, onGone: OnClose | undefined): Promise<T> =>
  onGone === undefined
    ? loading
    : new Promise((resolve, reject) => {
        onGone(() => reject(new ClientGone('the client has disconnected')))
        loading.then(resolve, reject)
      })

/** Rejects as soon as the signal aborts, even if the work continues. */
const unlessAborted = <T>(working: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
    working.then(resolve, reject)
  })

const reasons = { full: 'too many page loads', late: 'page load not begun in time' } as const

/** The client has disconnected: no response is sent. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/**
 * Places of requests that wait, all of them bounded, and those of one client by what is left for
 * others: it may have as many as are free (a dynamic threshold, as switches share their buffers).
 * The last eighth is for clients that have none.
 */
export class WaitingPlaces {
  private readonly max: number
  private readonly reserve: number
  private readonly counts = new Map<string, number>()
  private taken = 0

  constructor(max: number) {
    this.max = max
    this.reserve = Math.floor(max / 8)
  }

  /** @param client undefined: not bounded by client */
  hasPlace(client: string | undefined): boolean {
    const free = this.max - this.taken
    const own = client === undefined ? 0 : (this.counts.get(client) ?? 0)
    return free > 0 && (own === 0 || own < free - this.reserve)
  }

  take(client: string | undefined): void {
    this.taken += 1
    if (client !== undefined) this.counts.set(client, (this.counts.get(client) ?? 0) + 1)
  }

  release(client: string | undefined): void {
    this.taken -= 1
    if (client === undefined) return
    const left = (this.counts.get(client) ?? 0) - 1
    if (left > 0) this.counts.set(client, left)
    else this.counts.delete(client)
  }
}
