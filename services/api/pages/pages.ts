import { SegmentedCache } from '../../../libs/bounds/segmented-cache.ts'
import { type Cache, type CacheWrite, everywherePrefix } from '../../../libs/ports/cache.ts'
import type { OnClose } from '../../../libs/ports/http.ts'
import type { Head } from '../../../libs/presenters/lookups.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import { areCurrent, type CollectedDependencies, Dependencies } from '../clock/dependencies.ts'
import type { ChangesOffset, InvalidationClock } from '../clock/invalidation-clock.ts'
import type { Content } from '../response/responses.ts'
import { FinishedBody, isValidAt, type Page, type RenderResult, type ValidFor } from './page.ts'
import type { Load, PageLoads } from './page-loads.ts'
import { deserializePage, serializePage } from './serialized-page.ts'
import { type LeaseOutcome, SingleFlight, type Time } from './single-flight.ts'

interface PagesOptions {
  readonly clock: InvalidationClock
  /** Null until there is a first block. */
  readonly head: () => Head | null
  /** The current throttle window. */
  readonly window: () => number | null
  /** Bound of all pages cached in this process. */
  readonly bytesMax: number
  readonly metrics: Pick<Metrics, 'cachedPagesBytes'>
  readonly loads: PageLoads
  /** Shared by all API processes; none when embedded. */
  readonly cache?: Cache
  /** What else a page's bytes depend on: prefix of every key in the shared cache. */
  readonly version: string
  readonly onRead?: (cache: 'pages' | 'shared pages', outcome: 'hit' | 'miss') => void
  readonly onLease?: (outcome: LeaseOutcome) => void
  /** While another process loads a page. */
  readonly time?: Time
}

/** Renders a page, recording what it depends on. */
type Render = (options: {
  on: Dependencies
  head: Head | null
  /** Aborts once no request waits for the page. */
  signal: AbortSignal
}) => Promise<RenderResult>

/** Who requests a page. */
interface Requester {
  readonly onGone?: OnClose | undefined
  /** The address that its loads are queued under: asked only if one is queued. */
  readonly client?: () => string
}

/** A page, and the newest block that is in it. */
export interface FoundPage {
  /** Null: not found. */
  readonly content: Content | null
  /** The head that its confirmations are counted from. */
  readonly head: Head | null
  /** Was found in one of the caches: requested before, by this or another client. */
  readonly isCached: boolean
}

interface CachedPage {
  readonly dependencies: CollectedDependencies
  readonly validFor: ValidFor
  /** Null: not found. */
  readonly body: FinishedBody | null
  /** At the time of the read. */
  readonly head: Head | null
  readonly epoch: number
  /** When it was last found valid: no need to check again at the same offset and head. */
  checkedAt: ChangesOffset | null
  /** After missed announcements, the head moves at one offset. */
  checkedHead: Head | null
}

interface LoadedPage {
  readonly page: CachedPage
  /** Whether it comes from the cache that all processes share. */
  readonly isShared: boolean
}

interface InFlight {
  readonly startedAt: ChangesOffset
  readonly load: Load<LoadedPage>
}

/** Of an entry without its bytes, but with the prepared headers of its four forms, 1 KB each. */
const entryOverheadBytes = 5_500
/** Upper bound of the compression ratio: that of random hex digits. */
const gzipShare = 0.6
const dependencyBytes = 8
/** Epoch of a page that is never valid. */
const noEpoch = -1
/** Announcements that another process may have consumed before this one. */
const aheadMax = 1_024

/**
 * Pages by key: from this process, then from the cache that all processes share, then rendered
 * from the tables. Both caches obey one rule: a page is valid until a change of something that it
 * depends on is announced. Requests for a page that is being loaded wait for that load.
 */
export class Pages {
  private readonly options: PagesOptions
  private readonly cachedPages: SegmentedCache<CachedPage>
  private readonly inFlight = new Map<string, InFlight>()
  /** Null without a shared cache. */
  private readonly singleFlight: SingleFlight | null

  constructor(options: PagesOptions) {
    this.options = options
    this.cachedPages = new SegmentedCache({
      sizeMax: options.bytesMax,
      sizeOf: (page, key) => sizeOf(page) + key.length,
    })
    options.metrics.cachedPagesBytes.measure(() => this.cachedPages.size)
    const { cache, onLease, time } = options
    this.singleFlight = cache === undefined ? null : new SingleFlight({ cache, onLease, time })
  }

  /** A valid page that this process has cached, or null. */
  cached(key: string): FoundPage | null {
    const cached = this.cachedPages.get(key)
    if (cached === undefined || !this.isValid(cached)) return null
    this.options.onRead?.('pages', 'hit')
    return this.pageOf(cached, true)
  }

  /**
   * The error that a read of the page rejects with at once; null if it would wait, or if another
   * cache may have the page.
   */
  refusal(key: string, client: () => string): Error | null {
    const { cache, loads, onRead } = this.options
    if (cache !== undefined || this.inFlight.has(key)) return null
    const refusal = loads.refusal(client)
    if (refusal !== null) onRead?.('pages', 'miss')
    return refusal
  }

  /** @throws Overloaded, ClientGone, and what `render` throws */
  async get(key: string, render: Render, by: Requester = {}): Promise<FoundPage> {
    const { onGone, client } = by
    const cached = this.cached(key)
    if (cached !== null) return cached
    this.options.onRead?.('pages', 'miss')
    const arrival = this.options.clock.now
    // A load that started before this request may have read before a change announced since.
    for (let other = this.inFlight.get(key); other; other = this.inFlight.get(key)) {
      const loaded = await this.options.loads.wait(other.load, { isFirst: false, onGone, client })
      const { page, isShared } = loaded
      if (isSince(other.startedAt, arrival) || this.isValid(page))
        return this.pageOf(page, isShared)
    }
    const load = this.startLoad(key, render, client)
    const { page, isShared } = await this.options.loads.wait(load, { isFirst: true, onGone })
    return this.pageOf(page, isShared)
  }

  private startLoad(key: string, render: Render, client?: () => string): Load<LoadedPage> {
    const { cache, loads, clock } = this.options
    const load = loads.begin<LoadedPage>({
      client,
      ...(cache !== undefined && { lookUp: () => this.lookUp(cache, key) }),
      work: (signal) => this.load(key, render, signal),
      ended: () => {
        this.inFlight.delete(key)
        this.singleFlight?.ended(this.sharedKey(key))
      },
    })
    this.inFlight.set(key, { startedAt: clock.now, load })
    return load
  }

  private async load(key: string, render: Render, signal: AbortSignal): Promise<LoadedPage> {
    const { clock, window, cache } = this.options
    // Noted before the tables are read: a change announced meanwhile makes the page stale.
    const readAt = clock.now
    const head = this.options.head()
    const { isBehind, ...rendered } = await render({
      on: new Dependencies(readAt, window()),
      head,
      signal,
    })
    const epoch = isBehind ? noEpoch : readAt.epoch
    const page = pageAt(rendered, { head, epoch })
    const loaded = { page, isShared: false }
    if (!this.isValid(page)) return loaded
    this.cachedPages.set(key, page)
    if (cache === undefined) return loaded
    const { since } = rendered.dependencies
    const entry = { bytes: serializePage(rendered), position: since }
    void cache.set([[this.sharedKey(key), entry], consumedUpTo(since)])
    return loaded
  }

  private sharedKey(key: string): string {
    return `${this.options.version}|${key}`
  }

  /**
   * A page that was requested before, as its stale entry shows, is loaded by one process at a time.
   * Pages that nobody else requests need no lease, and are most of those that are loaded.
   */
  private async lookUp(cache: Cache, key: string): Promise<LoadedPage | null> {
    const first = await this.shared(cache, key)
    this.options.onRead?.('shared pages', first.page === null ? 'miss' : 'hit')
    if (first.page !== null || !first.isStored || this.singleFlight === null) return first.page
    const read = async () => (await this.shared(cache, key)).page
    return this.singleFlight.before(this.sharedKey(key), read)
  }

  /** The page, if it is valid; whether an entry exists. */
  private async shared(
    cache: Cache,
    key: string,
  ): Promise<{ page: LoadedPage | null; isStored: boolean }> {
    const [entry] = await cache.get([this.sharedKey(key)])
    const { epoch, offset } = this.options.clock.now
    const head = this.options.head()
    const rendered = entry === undefined ? null : deserializePage(entry.bytes)
    const isOfThisTopic = rendered !== null && rendered.dependencies.since <= offset + aheadMax
    const page = isOfThisTopic ? pageAt(rendered, { head, epoch }) : null
    const isStored = entry !== undefined
    if (page === null || !this.isValid(page)) return { page: null, isStored }
    this.cachedPages.set(key, page)
    return { page: { page, isShared: true }, isStored }
  }

  /** Whether it is as current as what this process has consumed. */
  private isValid(page: CachedPage): boolean {
    const { clock, window } = this.options
    const { now } = clock
    const head = this.options.head()
    if (page.checkedAt === now && page.checkedHead === head) return true
    if (page.epoch !== now.epoch) return false
    const { dependencies, validFor } = page
    const at = { epoch: page.epoch, window: window() }
    if (!areCurrent(dependencies, clock, at) || !isValidAt(validFor, head)) return false
    page.checkedAt = now
    page.checkedHead = head
    return true
  }

  /** At the current head; at the head of the read if something changed during the read. */
  private pageOf(page: CachedPage, isCached: boolean): FoundPage {
    const head = this.isValid(page) ? this.options.head() : page.head
    return { content: page.body?.at(head) ?? null, head, isCached }
  }
}

const pageAt = (
  { dependencies, validFor, body }: Page,
  { head, epoch }: Pick<CachedPage, 'head' | 'epoch'>,
): CachedPage => ({
  dependencies,
  validFor,
  body: body === null ? null : new FinishedBody(body, head),
  head,
  epoch,
  checkedAt: null,
  checkedHead: null,
})

const isSince = (one: ChangesOffset, other: ChangesOffset): boolean =>
  one.epoch === other.epoch && one.offset >= other.offset

function sizeOf({ dependencies, body }: CachedPage): number {
  let count = 0
  for (const [, { length }] of dependencies.exactly) count += length
  for (const [, { length }] of dependencies.throttled) count += length
  const bytes = (body?.length ?? 0) * (1 + gzipShare)
  return Math.ceil(entryOverheadBytes + count * dependencyBytes + bytes)
}

/** Stored with an entry whose position is the offset of `changes` at the newest page's read. */
const consumedKey = `${everywherePrefix}changes|consumed`

/** Written with each shared page. */
export const consumedUpTo = (offset: number): CacheWrite => [
  consumedKey,
  { bytes: Buffer.alloc(0), position: offset },
]

/**
 * Clears a shared cache whose pages count offsets of a former topic `changes`: offsets of a
 * recreated topic start again at 0.
 * @param endOf the end of the topic as it is now.
 */
export async function clearIfTopicRecreated(
  cache: Cache,
  endOf: () => Promise<number>,
): Promise<boolean> {
  // In this order: no process can have consumed more than the end that is read afterwards.
  const [consumed] = await cache.get([consumedKey])
  const isRecreated = consumed !== undefined && consumed.position > (await endOf())
  if (isRecreated) await cache.clear()
  return isRecreated
}
