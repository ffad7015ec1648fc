import type { QueueCounts } from '../../libs/bounds/bounded-queue.ts'
import type { Cache } from '../../libs/ports/cache.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import type { HttpHandler } from '../../libs/ports/http.ts'
import type { Store } from '../../libs/ports/store.ts'
import type { Head } from '../../libs/presenters/lookups.ts'
import { conflicts } from '../../libs/queries/reading/versions.ts'
import { BlockStage } from '../../libs/signals/block-stage.ts'
import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import { CachePositions } from './clock/cache-positions.ts'
import {
  followChanges,
  followedFamilies,
  HeadOfGroups,
  replayRecent,
  throttleWindow,
} from './clock/follow-changes.ts'
import { rateHoursIn, readProgress } from './clock/group-progress.ts'
import { InvalidationClock } from './clock/invalidation-clock.ts'
import { findExamplesOf } from './examples/find-examples.ts'
import { apiHandler } from './handler.ts'
import { answersVersion, pagesVersion } from './pages/answers-version.ts'
import { type PageLoadLimits, PageLoads, pageLoadLimits } from './pages/page-loads.ts'
import { clearIfTopicRecreated, Pages } from './pages/pages.ts'
import { type LeaseOutcome, leaseOutcomes } from './pages/single-flight.ts'
import { ClientAddresses } from './request/limits/client-address.ts'
import type { RequestLimits } from './request/limits/request-limits.ts'
import { LargeLoads } from './rows/large-loads.ts'
import { RateOrdering } from './rows/rate-ordering.ts'
import { type ReplicaCheckSetting, replicaCheckOf } from './rows/replica-check.ts'
import { runOnStore } from './rows/run-question.ts'
import { sharedRowsOf } from './rows/shared-rows.ts'
import { keepLoaded } from './rows/subject-filter.ts'
import type { AuditShown } from './status/audit-shown.ts'
import { NewestBlocks } from './status/newest-blocks.ts'
import { Status } from './status/status.ts'
import { uncachedHandler } from './uncached-handler.ts'

export interface ApiOptions {
  readonly store: Store
  readonly eventLog: EventLog
  readonly chainId: number
  readonly log: Log
  readonly metrics: Metrics
  /** Shared with other processes; none when embedded: pages are cached in this process only. */
  readonly cache?: Cache
  readonly limits?: Partial<ApiLimits>
  /** Addresses and ranges whose X-Forwarded-For is believed; none by default. */
  readonly trustedProxies?: readonly string[]
  /** Limits of each client; none if left out. */
  readonly requestLimits?: RequestLimits | null
  /** Whether two fields have the form of the published schema (contract 70); false by default. */
  readonly publishedTypes?: boolean
  /** Whether `/` is the status page; true by default. */
  readonly statusPage?: boolean
  /** What a comparison with a node has found, for the status page; null while there is none. */
  readonly audit?: () => AuditShown | null
  /** Whether queries check that their replica is not behind; `off` by default. */
  readonly replicaCheck?: ReplicaCheckSetting
  /** Name of the cluster whose replicas are polled; found by itself if empty. */
  readonly cluster?: string
}

export interface ApiLimits extends PageLoadLimits {
  /** Bound of all cached pages. */
  readonly pageCacheBytesMax: number
  /** Bound of cached rows, per table. */
  readonly cachedRowsMax: number
  /** Bound of the subjects in a filter of absent rows, per table: 16 MiB. */
  readonly filteredSubjectsMax: number
  /** Throttle window of token stats in lists, in seconds of chain time. */
  readonly figuresStepSeconds: number
  /** Announcements replayed at startup: two hours of a chain with a block every two seconds. */
  readonly recentAnnouncementsMax: number
}

const limitsDefault: ApiLimits = {
  ...pageLoadLimits,
  pageCacheBytesMax: 67_108_864,
  cachedRowsMax: 20_000,
  filteredSubjectsMax: 4_000_000,
  figuresStepSeconds: 30,
  recentAnnouncementsMax: 7_200,
}

export interface Api {
  readonly handler: HttpHandler
  /** A new one for this process itself, on the tables alone: see `uncached-handler.ts`. */
  readonly uncached: () => HttpHandler
  /** The newest indexed block; null until both on-chain groups have one. */
  readonly head: () => Head | null
  stop(): Promise<void>
}

/** Starts to consume `changes`; resolves when requests can be answered. */
export async function startApi(options: ApiOptions): Promise<Api> {
  const limits = { ...limitsDefault, ...options.limits }
  const { store, eventLog, metrics, log, cache, chainId } = options
  const { publishedTypes = false, statusPage = true, audit } = options
  const positions = new CachePositions()
  const onReads = countingReads(metrics)
  const newest = new NewestBlocks()
  const head = new HeadOfGroups(shownHead(metrics, newest))
  const clock = new InvalidationClock(followedFamilies, positions)
  const readThrough = cache === undefined ? null : { cache, positions, onReads }
  const [stopping, visible] = [new AbortController(), new BlockStage(metrics, 'visible')]
  const { signal } = stopping
  const check = await replicaCheckOf({ ...options, signal }, (group) =>
    clock.announcedPosition(group),
  )
  const reading = { check, knownFrom: () => head.knownFrom }
  const run = runOnStore(store, { ...reading, cache: readThrough })
  const onMissed = () => readProgress({ store, isReplicated: check !== null }, head, clock)
  const follow = {
    ...{ eventLog, head, clock, log, onMissed, signal, visible },
    ...(cache === undefined ? {} : { cache }),
  }
  if (cache !== undefined) await clearIfTopicRecreated(cache, () => eventLog.end('changes'))
  // Earlier announcements decide whether entries of other processes are current. In this order:
  // what is announced while the progress is read is consumed afterwards.
  await replayRecent(cache === undefined ? 0 : limits.recentAnnouncementsMax, follow)
  await onMissed()
  positions.distrustEarlier()
  const following = followChanges(follow)
  const window = throttleWindow(() => head.head, limits.figuresStepSeconds)
  const { countLoads, countLarge } = countsOfLoads(metrics)
  const pages = new Pages({
    head: () => head.head,
    ...{ clock, window, metrics, bytesMax: limits.pageCacheBytesMax },
    loads: new PageLoads(limits, countLoads),
    cache,
    version: pagesVersion(answersVersion(), { chainId, publishedTypes, ...limits }),
    ...countsOfPages(metrics),
  })
  const shared = sharedRowsOf({ run, clock, metrics, window, ...limits })
  const filtering = keepLoaded(shared.filters, { metrics, log, signal })
  const largeLoads = new LargeLoads(countLarge)
  const rates = new RateOrdering({ run, clock, ...rateHoursIn(store, head) })
  const clients = new ClientAddresses(options.trustedProxies ?? [])
  const sources = { clients, largeLoads, rates, head: () => head.head, chainId, publishedTypes }
  const page = { head, newest, chainId, store, hasRedis: cache !== undefined, metrics, log, audit }
  const status = statusPage ? new Status(page) : null
  const counting = status?.keepCounting(signal)
  const onConflict = logConflict(log)
  conflicts.subscribe(onConflict)
  return {
    handler: apiHandler({
      sources: { ...sources, run, shared: shared.rows, pages },
      ...{ log, metrics, limits: options.requestLimits ?? null, status },
      findExamples: findExamplesOf({ eventLog, position: () => head.position, signal }),
    }),
    uncached: () =>
      uncachedHandler({ sources: { ...sources, run: runOnStore(store, reading) }, clock, log }),
    head: () => head.head,
    async stop() {
      stopping.abort()
      conflicts.unsubscribe(onConflict)
      await Promise.all([following, filtering, counting])
    },
  }
}

const shownHead =
  (metrics: Pick<Metrics, 'apiBlock' | 'apiTime'>, newest: NewestBlocks) => (head: Head) => {
    const { block, time } = head
    newest.add(head, Date.now())
    metrics.apiBlock.set(block)
    if (time === null) metrics.apiTime.remove()
    else metrics.apiTime.set(time)
  }

function countsOfLoads(metrics: Pick<Metrics, 'pageLoads'>) {
  const countLoads = ({ running, waiting }: QueueCounts) => {
    metrics.pageLoads.set({ state: 'running' }, running)
    metrics.pageLoads.set({ state: 'waiting' }, waiting)
  }
  const countLarge = (running: number) => metrics.pageLoads.set({ state: 'large' }, running)
  countLoads({ running: 0, waiting: 0 })
  countLarge(0)
  return { countLoads, countLarge }
}

/** Reads of one cache, by outcome. */
const countsOfReads = ({ cacheReads }: Pick<Metrics, 'cacheReads'>, cache: string) => ({
  hit: cacheReads.countOf({ cache, outcome: 'hit' }),
  miss: cacheReads.countOf({ cache, outcome: 'miss' }),
})

/** Of rows that processes share. */
function countingReads(metrics: Pick<Metrics, 'cacheReads'>) {
  const counts = countsOfReads(metrics, 'shared rows')
  return (outcome: 'hit' | 'miss', count: number) => {
    counts[outcome].pending += count
  }
}

/** Reads of each cache of pages, and leases, by outcome. */
function countsOfPages(metrics: Pick<Metrics, 'cacheReads' | 'pageLeases'>) {
  const countsOf = (cache: string) => countsOfReads(metrics, cache)
  const counts = { pages: countsOf('pages'), 'shared pages': countsOf('shared pages') }
  for (const outcome of leaseOutcomes) metrics.pageLeases.inc({ outcome }, 0)
  return {
    onRead: (cache: keyof typeof counts, outcome: 'hit' | 'miss') => {
      counts[cache][outcome].pending += 1
    },
    onLease: (outcome: LeaseOutcome) => metrics.pageLeases.inc({ outcome }),
  }
}

/** Rows of one key and position that differ: a faulty fold or writer. */
const logConflict = (log: Log) => (conflict: unknown) =>
  log.error({ event: events.api.conflictingRows, conflict }, 'rows of one version differ')
