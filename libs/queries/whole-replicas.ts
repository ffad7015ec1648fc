import { type Store, StoreBehind, StoreDenied, type WholeReplicas } from '../ports/store.ts'
import { type ReplicaState, replicaStates, whyBehind } from '../tables/replica-states.ts'

/** What one poll of all servers has found. */
export interface ReplicaPoll<M> {
  /** When it began, by `now`. */
  readonly startedAt: number
  /** What the owner noted then. */
  readonly mark: M
  readonly whole: WholeReplicas
  /** Sentences about replicas that are not whole, or were not polled. */
  readonly behind: readonly string[]
  readonly partsLost: number
}

interface ReplicaPollsOptions<M> {
  readonly store: Pick<Store, 'query'>
  readonly database: string
  /** Whose servers are polled; empty: the one that answers. */
  readonly cluster: string
  /** Noted when a poll begins. */
  readonly mark: () => M
  readonly onPoll?: (poll: ReplicaPoll<M>) => void
  /** Milliseconds that never go back. */
  readonly now?: () => number
  readonly limits?: Partial<ReplicaPollLimits>
}

export interface ReplicaPollLimits {
  /** Null: only when a query needs it. */
  readonly pollEveryMs: number | null
  /** Between the begins of two polls that queries wait for. */
  readonly pollGapMs: number
  readonly pollTimeoutMs: number
  /** A state is not used longer; below `replicaUptimeMin`. */
  readonly validMs: number
}

const limitsDefault: ReplicaPollLimits = {
  pollEveryMs: 1_000,
  pollGapMs: 50,
  pollTimeoutMs: 2_000,
  validMs: 4_000,
}

/**
 * Which servers have all rows of which tables, asked about once a second, and earlier if a query
 * needs to know how it is after something has happened. What is not known counts as not whole.
 */
export class ReplicaPolls<M> {
  private readonly options: ReplicaPollsOptions<M>
  private readonly limits: ReplicaPollLimits
  private readonly now: () => number
  private last: ReplicaPoll<M> | null = null
  private startedAt = Number.NEGATIVE_INFINITY
  private polling: Promise<ReplicaPoll<M>> | null = null
  private readonly timer: NodeJS.Timeout | null
  /** Of the query that is under way, or was the last. */
  private asking = new AbortController()
  private isStopped = false

  constructor(options: ReplicaPollsOptions<M>) {
    this.options = options
    this.limits = { ...limitsDefault, ...options.limits }
    this.now = options.now ?? (() => performance.now())
    const { pollEveryMs } = this.limits
    const poll = () => void this.poll().catch(() => {})
    this.timer = pollEveryMs === null ? null : setInterval(poll, pollEveryMs)
    this.timer?.unref()
  }

  stop(): void {
    if (this.timer !== null) clearInterval(this.timer)
    this.isStopped = true
    this.asking.abort()
  }

  /**
   * The last poll if it is enough and not too old, else the next one that begins from now on.
   * @throws StoreBehind, StoreUnavailable, StoreDenied where that one fails, too
   */
  async known(isEnough: (poll: ReplicaPoll<M>) => boolean): Promise<ReplicaPoll<M>> {
    const isUsable = (poll: ReplicaPoll<M> | null): poll is ReplicaPoll<M> =>
      poll !== null && this.isValid(poll) && isEnough(poll)
    if (isUsable(this.last)) return this.last
    // One that began before may not know yet.
    await this.polling?.catch(() => {})
    if (isUsable(this.last)) return this.last
    const pauseMs = this.startedAt + this.limits.pollGapMs - this.now()
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    const next = await this.poll()
    if (this.isValid(next)) return next
    throw new StoreBehind('the states of the ClickHouse replicas come too late')
  }

  private isValid({ startedAt }: ReplicaPoll<M>): boolean {
    return this.now() - startedAt < this.limits.validMs
  }

  /** One at a time. */
  private poll(): Promise<ReplicaPoll<M>> {
    this.polling ??= this.pollOnce().finally(() => {
      this.polling = null
    })
    return this.polling
  }

  private async pollOnce(): Promise<ReplicaPoll<M>> {
    const { mark, onPoll } = this.options
    const startedAt = this.now()
    this.startedAt = startedAt
    const noted = mark()
    const { states, unread } = await this.states()
    const { behind, ...found } = judged(states)
    const poll = { startedAt, mark: noted, ...found, behind: [...unread, ...behind] }
    this.last = poll
    onPoll?.(poll)
    return poll
  }

  /** Of all servers, or of the one that answers if that is not possible now, and why it is not. */
  private async states(): Promise<{ states: readonly ReplicaState[]; unread: readonly string[] }> {
    const { store, database, cluster } = this.options
    const statesIn = (asked: string) =>
      this.withinTime((signal) => replicaStates(store, { database, cluster: asked, signal }))
    try {
      return { states: await statesIn(cluster), unread: [] }
    } catch (error) {
      if (cluster === '' || error instanceof StoreDenied) throw error
      const why = error instanceof Error ? error.message : String(error)
      return { states: await statesIn(''), unread: [`only one server was polled: ${why}`] }
    }
  }

  /** Not by `AbortSignal.any`, which leaves something on a signal that lives on at each call. */
  private async withinTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const asking = new AbortController()
    this.asking = asking
    if (this.isStopped) asking.abort()
    const late = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
    const timer = setTimeout(() => asking.abort(late), this.limits.pollTimeoutMs)
    try {
      return await work(asking.signal)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** @param states of all tables on all servers that answered */
export function judged(states: readonly ReplicaState[]) {
  const copied = new Set(states.filter(({ logNext }) => logNext > 0).map(({ table }) => table))
  const whole = new Map<string, string[]>()
  const behind: string[] = []
  for (const state of states) {
    const why = whyBehind(state, !copied.has(state.table))
    if (why !== null) behind.push(`${state.table} on ${state.host}: ${why}`)
    else whole.set(state.table, [...(whole.get(state.table) ?? []), nameOf(state)])
  }
  return { whole, behind, partsLost: Math.max(0, ...states.map(({ partsLost }) => partsLost)) }
}

const nameOf = ({ server, uuid }: ReplicaState) => `${server}/${uuid}`
