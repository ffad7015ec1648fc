import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import {
  ResultTooLarge,
  RowBoundRefused,
  type Store,
  StoreDenied,
  StoreMissing,
  StoreUnavailable,
  TooManyRows,
} from '../../ports/store.ts'
import { ReadLimitExceeded } from './read-limits.ts'
import type { RunOptions } from './run-options.ts'

/** The tables, for a read that several answers share. */
export interface BatchReader {
  /** @throws ResultTooLarge if results are too long for so many reads; else as the queries do */
  read<T>(
    work: (store: Store, run: Partial<RunOptions>) => Promise<T>,
    of: SharedBy,
  ): Promise<BatchResult<T>>
}

/** Who shares a query. */
export interface SharedBy {
  /** Reads that wait for its result. */
  readonly reads: number
  readonly signal: AbortSignal
}

export interface BatchResult<T> {
  readonly result: T
  /** Whether its rows came from a replica behind what was announced. */
  readonly isBehind: boolean
}

/** How concurrent reads of one question share a query. */
export interface SharedRead<O, R> {
  /** @returns null if it has to be read alone */
  run(
    reader: BatchReader,
    options: O,
    signal: AbortSignal | undefined,
  ): Promise<BatchResult<R> | null>
}

interface BatchOptions<O, R, K, S extends string, V> {
  /** The keys of one read; null if it does not share a query. */
  readonly keysOf: (options: O) => readonly K[] | null
  readonly idOf: (key: K) => S
  /**
   * Values by key; null: to be read alone, as it has too many rows or long ones.
   * @throws ResultTooLarge, TooManyRows, ReadLimitExceeded: read again with fewer keys
   */
  readonly read: (
    store: Store,
    keys: readonly K[],
    run: Partial<RunOptions>,
  ) => Promise<ReadonlyMap<S, V | null>>
  /** Keys of one query. */
  readonly keysMax: number
  /** @returns null if it has to be read alone */
  readonly resultOf: (found: ReadonlyMap<S, V | null>, options: O) => R | null
}

/** Queries of one question at once. */
const runningMax = 2
/** From then on, in milliseconds, a query does not hold up the next one. */
const slowMs = 250
/** Keys that are known to have too many rows to share a query: remembered for so long. */
const heavyKeysMax = 10_000
const heavyMs = 60 * 60_000
/** Reads of several keys that are too large together: remembered for as long. */
const largeReadsMax = 1_000

/** Declares how reads of a question are joined: a loader for each reader of the tables. */
export function batch<O, R, K, S extends string, V>(
  options: BatchOptions<O, R, K, S, V>,
): SharedRead<O, R> {
  const loaders = new WeakMap<BatchReader, Loader<K, S, V>>()
  return {
    async run(reader, given, signal) {
      const keys = options.keysOf(given)
      if (keys === null || keys.length === 0 || keys.length > options.keysMax) return null
      const known = loaders.get(reader)
      const loader = known ?? new Loader(options, reader)
      if (known === undefined) loaders.set(reader, loader)
      const loaded = await loader.load(keys, signal)
      if (loaded === null) return null
      const result = options.resultOf(loaded.result, given)
      return result === null ? null : { result, isBehind: loaded.isBehind }
    },
  }
}

type Loading<K, S extends string, V> = Pick<
  BatchOptions<unknown, unknown, K, S, V>,
  'idOf' | 'read' | 'keysMax'
>

type Loaded<S extends string, V> = BatchResult<ReadonlyMap<S, V | null>> | null

/** Whether any query would fail now; else the rows of one key may be the cause. */
const isOfServer = (error: unknown): boolean =>
  error instanceof StoreUnavailable || error instanceof StoreDenied || error instanceof StoreMissing

/**
 * Whether the rows of the keys are too many or too long, or one cannot be decoded, and that for a
 * while: such a key is read alone from then on.
 */
const isOfKey = (error: unknown): boolean =>
  error instanceof RangeError ||
  error instanceof TooManyRows ||
  error instanceof ResultTooLarge ||
  error instanceof ReadLimitExceeded

/** One read, queued or part of a query. */
interface Member<K, S extends string, V> {
  readonly keys: readonly K[]
  readonly isGone: () => boolean
  readonly resolve: (loaded: Loaded<S, V>) => void
  readonly reject: (error: unknown) => void
}

/** Reads of one query. */
type Members<K, S extends string, V> = readonly Member<K, S, V>[]

const keyCountOf = (members: readonly Pick<Member<unknown, string, unknown>, 'keys'>[]): number =>
  members.reduce((sum, { keys }) => sum + keys.length, 0)

/** Ids for a while. Most loaders never have one: the memory of all that it may hold comes then. */
function remembered(max: number) {
  let ids: LRUCache<string, true> | null = null
  // Looked up each time, so that specs can set the time.
  const perf = { now: () => performance.now() }
  return {
    has: (id: string) => ids?.has(id) ?? false,
    isEmpty: () => ids === null || ids.size === 0,
    add(id: string) {
      ids ??= new LRUCache({ max, ttl: heavyMs, ttlResolution: 0, perf })
      ids.set(id, true)
    },
  }
}

/** Short, however many keys there are. */
const digestOf = (ids: readonly string[]): string =>
  createHash('sha256').update(ids.join()).digest('base64')

/**
 * Joins the keys of concurrent reads: an idle loader reads once the event loop's turn has ended,
 * and while a query runs, all further keys wait for the next one: a query of many keys costs little
 * more than one of few. The next one is sent before the reads of a result continue, so that the
 * server works while pages are made. A second one begins meanwhile if its keys are all that it can
 * have, or if the first is slow. The queue is bounded by the pages that are loaded at once. A query
 * that fails is split in halves, which are read side by side; a key whose rows are too many or too
 * long is read alone for a while, and so is a read of several keys that are too large together.
 */
class Loader<K, S extends string, V> {
  private readonly options: Loading<K, S, V>
  private readonly reader: BatchReader
  private readonly heavy = remembered(heavyKeysMax)
  /** By the digest of the ids. Their keys may share queries with others. */
  private readonly largeReads = remembered(largeReadsMax)
  private readonly waiting: Member<K, S, V>[] = []
  /** Halves of failed queries, which are not joined with others again. */
  private readonly halves: Members<K, S, V>[] = []
  /** Whether queries begin at the end of this turn of the event loop. */
  private isDue = false
  private running = 0
  private slow = 0

  constructor(options: Loading<K, S, V>, reader: BatchReader) {
    this.options = options
    this.reader = reader
  }

  /** @returns null if the keys have to be read alone. @throws the reason of the signal */
  async load(keys: readonly K[], signal: AbortSignal | undefined): Promise<Loaded<S, V>> {
    signal?.throwIfAborted()
    if (this.isLarge(keys)) return null
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        isGone = true
        reject(signal?.reason)
        this.abandon()
      }
      let isGone = false
      const left = () => signal?.removeEventListener('abort', onAbort)
      this.waiting.push({
        keys,
        isGone: () => isGone,
        resolve: (loaded) => {
          left()
          resolve(loaded)
        },
        reject: (error) => {
          left()
          reject(error)
        },
      })
      signal?.addEventListener('abort', onAbort)
      this.beginSoon()
    })
  }

  private isLarge(keys: readonly K[]): boolean {
    const ids = keys.map(this.options.idOf)
    if (ids.some((id) => this.heavy.has(id))) return true
    return ids.length > 1 && !this.largeReads.isEmpty() && this.largeReads.has(digestOf(ids))
  }

  /** Once the event loop's turn has ended: pages that one query served share the next one, too. */
  private beginSoon(): void {
    if (this.isDue || !this.mayBegin()) return
    this.isDue = true
    setImmediate(() => {
      this.isDue = false
      this.begin()
    })
  }

  private begin(): void {
    while (this.mayBegin()) {
      const next = this.halves.shift() ?? this.nextMembers()
      const members = next.filter(({ isGone }) => !isGone())
      if (members.length === 0) {
        if (this.halves.length === 0 && this.waiting.length === 0) return
        continue
      }
      this.running += 1
      void this.read(members)
    }
  }

  private mayBegin(): boolean {
    if (this.running === 0) return true
    if (this.running >= runningMax) return false
    if (this.slow > 0 || this.halves.length > 0) return true
    return keyCountOf(this.waiting) >= this.options.keysMax
  }

  private nextMembers(): Member<K, S, V>[] {
    let keys = 0
    const count = this.waiting.findIndex((member) => {
      keys += member.keys.length
      return keys > this.options.keysMax
    })
    return this.waiting.splice(0, count === -1 ? this.waiting.length : Math.max(1, count))
  }

  /** Aborts queries whose answers nobody waits for any more. */
  private abandon(): void {
    for (const [members, controller] of this.queries) {
      if (members.every(({ isGone }) => isGone())) controller.abort()
    }
  }

  private readonly queries = new Map<Members<K, S, V>, AbortController>()

  /** Never rejects: each member is settled. */
  private async read(members: Members<K, S, V>): Promise<void> {
    const loaded = await this.answered(members)
    this.running -= 1
    if (loaded === null) {
      this.beginSoon()
      return
    }
    await this.sendNext()
    for (const { resolve } of members) resolve(loaded)
  }

  /** @returns null if the query failed, which its members have been told then */
  private async answered(members: Members<K, S, V>): Promise<Loaded<S, V>> {
    const { idOf, read } = this.options
    const keys = new Map(members.flatMap((member) => member.keys.map((key) => [idOf(key), key])))
    const controller = new AbortController()
    this.queries.set(members, controller)
    let isSlow = false
    const timer = setTimeout(() => {
      isSlow = true
      this.slow += 1
      this.begin()
    }, slowMs)
    try {
      const loaded = await this.reader.read((store, run) => read(store, [...keys.values()], run), {
        reads: members.length,
        signal: controller.signal,
      })
      for (const [id, value] of loaded.result) if (value === null) this.heavy.add(id)
      return loaded
    } catch (error) {
      this.fail(members, error)
      return null
    } finally {
      clearTimeout(timer)
      if (isSlow) this.slow -= 1
      this.queries.delete(members)
    }
  }

  /** Until the query of the keys that wait, if any, is on its way to the server. */
  private async sendNext(): Promise<void> {
    if (this.halves.length + this.waiting.length === 0 || !this.mayBegin()) return
    this.begin()
    await turn()
  }

  private fail(members: Members<K, S, V>, error: unknown): void {
    // Its query was cancelled.
    if (members.every(({ isGone }) => isGone())) return
    if (isOfServer(error)) {
      for (const { reject } of members) reject(error)
      return
    }
    if (error instanceof RowBoundRefused) {
      for (const { resolve } of members) resolve(null)
      return
    }
    const [first, ...others] = members
    if (first !== undefined && others.length === 0) {
      if (isOfKey(error)) this.remember(first.keys.map(this.options.idOf))
      first.resolve(null)
      return
    }
    const middle = Math.ceil(members.length / 2)
    this.halves.push(members.slice(0, middle), members.slice(middle))
  }

  /**
   * Of several keys that are too large together each may share other queries: were all of them
   * read alone, a page with many tokens would make them expensive for everyone.
   */
  private remember(ids: readonly S[]): void {
    const [only, ...others] = ids
    if (only !== undefined && others.length === 0) this.heavy.add(only)
    else this.largeReads.add(digestOf(ids))
  }
}
