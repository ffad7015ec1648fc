import type { QueueCounts } from '../../libs/adapters/queue/bounded-queue.ts'
import type { Cache } from '../../libs/ports/cache.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import type { HttpHandler } from '../../libs/ports/http.ts'
import type { Store } from '../../libs/ports/store.ts'
import type { Head } from '../../libs/presenters/known.ts'
import { progressOf, replicasAsked } from '../../libs/queries/progress.ts'
import { conflicts } from '../../libs/queries/versions.ts'
import { events as eventNames } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import { answersVersion } from './answers-version.ts'
import { followedFamilies } from './families.ts'
import { followChanges, hearRecent } from './follow-changes.ts'
import { apiHandler } from './handler.ts'
import { HeadOfGroups } from './head.ts'
import { LargeLoads } from './large-loads.ts'
import { Moved } from './moved.ts'
import { type PageLoadLimits, PageLoads, pageLoadLimits } from './page-loads.ts'
import { Pages } from './pages.ts'
import { Positions } from './positions.ts'
import { RateOrdering } from './rate-ordering.ts'
import { sharedOf } from './remembered-rows.ts'
import { type ReplicaCheckSetting, replicaCheckOf } from './replica-check.ts'
import { emptiedIfOfAnotherLog } from './same-log.ts'
import { stepsOf } from './steps.ts'
import { storeAsks } from './store-asks.ts'

export interface ApiForm {
  readonly store: Store
  readonly events: EventLog
  readonly chainId: number
  readonly log: Log
  readonly metrics: Metrics
  /** Shared with other processes; none in the embedded form: pages are kept in this process. */
  readonly cache?: Cache
  readonly limits?: Partial<ApiLimits>
  /** Whether queries check that their replica is not behind; `off` by default. */
  readonly replicaCheck?: ReplicaCheckSetting
}

export interface ApiLimits extends PageLoadLimits {
  /** Answers kept as bytes, all together. */
  readonly pageCacheBytesMax: number
  /** Tokens, and addresses, kept as rows; each. */
  readonly rememberedRowsMax: number
  /** Figures of tokens inside of lists advance in steps of so many seconds of chain time. */
  readonly figuresStepSeconds: number
  /** Announcements heard again at the start: two hours of a chain with a block in two seconds. */
  readonly recentAnnouncementsMax: number
}

const limitsDefault: ApiLimits = {
  ...pageLoadLimits,
  pageCacheBytesMax: 67_108_864,
  rememberedRowsMax: 20_000,
  figuresStepSeconds: 30,
  recentAnnouncementsMax: 7_200,
}

export interface Api {
  readonly handler: HttpHandler
  /** The newest block that it shows; null until both on-chain groups have one. */
  readonly head: () => Head | null
  stop(): Promise<void>
}

/** Starts to follow what changes; resolves when questions can be answered. */
export async function startApi(form: ApiForm): Promise<Api> {
  const limits = { ...limitsDefault, ...form.limits }
  const { store, metrics, log, cache } = form
  const positions = new Positions()
  const onReads = (outcome: 'hit' | 'miss', count: number) =>
    metrics.cacheReads.inc({ cache: 'shared rows', outcome }, count)
  const head = new HeadOfGroups(({ block, time }) => {
    metrics.apiBlock.set(block)
    if (time === null) metrics.apiTime.remove()
    else metrics.apiTime.set(time)
  })
  const moved = new Moved(followedFamilies, positions)
  const through = cache === undefined ? null : { cache, positions, onReads }
  const check = await replicaCheckOf(form, (group) => moved.announced(group))
  const asks = storeAsks(store, { through, check, knownFrom: () => head.knownFrom })
  const ending = new AbortController()
  const follower = {
    ...{ log: form.events, head, moved, signals: log, signal: ending.signal },
    ...(cache === undefined ? {} : { cache }),
    ...(check === null ? {} : { onMissed: () => hearProgressOfReplicas(store, head, moved) }),
  }
  if (cache !== undefined) await emptiedIfOfAnotherLog(cache, () => form.events.end('changes'))
  // What was announced before matters to what others have read. In this order: what is announced
  // while the progress is read is heard afterwards.
  await hearRecent(cache === undefined ? 0 : limits.recentAnnouncementsMax, follower)
  await hearProgress(store, head, moved)
  positions.beginHere()
  const following = followChanges(follower)
  const step = stepsOf(() => head.head, limits.figuresStepSeconds)
  const countLoads = ({ running, waiting }: QueueCounts) => {
    metrics.pageLoads.set({ state: 'running' }, running)
    metrics.pageLoads.set({ state: 'waiting' }, waiting)
  }
  countLoads({ running: 0, waiting: 0 })
  const countLarge = (running: number) => metrics.pageLoads.set({ state: 'large' }, running)
  countLarge(0)
  const pages = new Pages({
    moved,
    head: () => head.head,
    step,
    bytesMax: limits.pageCacheBytesMax,
    loads: new PageLoads(limits, countLoads),
    cache,
    version: `${answersVersion()}|${form.chainId}|${limits.figuresStepSeconds}`,
    onRead: (name, outcome) => metrics.cacheReads.inc({ cache: name, outcome }),
  })
  const shared = sharedOf({ asks, moved, metrics, rowsMax: limits.rememberedRowsMax, step })
  const largeLoads = new LargeLoads(countLarge)
  const rates = new RateOrdering({ asks, moved, rateHour: () => head.rateHour })
  const sources = { largeLoads, rates, head: () => head.head, chainId: form.chainId }
  const alarm = alarmed(log)
  conflicts.subscribe(alarm)
  return {
    handler: apiHandler({
      sources: { ...sources, asks, shared, pages },
      log,
      metrics,
    }),
    head: () => head.head,
    async stop() {
      ending.abort()
      conflicts.unsubscribe(alarm)
      await following
    },
  }
}

const groups = ['ledger', 'state', 'dimensions'] as const

/** How far the tables can be read: written before each announcement, so never behind them. */
async function hearProgress(store: Store, head: HeadOfGroups, moved: Moved): Promise<void> {
  const progress = await progressOf(store)
  for (const group of groups) {
    const row = progress.get(group)
    moved.begunBy(group)
    if (row === undefined) continue
    const { position, blockNumber: block, timestamp: time, knownFrom } = row
    head.hear({ group, position, block, time, knownFrom })
    moved.reachedBefore(group, row.position)
  }
}

/** In turn; one of them may be late. */
async function hearProgressOfReplicas(store: Store, head: HeadOfGroups, moved: Moved) {
  for (let asked = 0; asked < replicasAsked; asked++) await hearProgress(store, head, moved)
}

/** Rows of one key and position that differ: a broken fold or writer, whatever was asked. */
const alarmed = (log: Log) => (conflict: unknown) =>
  log.error({ event: eventNames.api.conflictingRows, conflict }, 'rows of one version differ')
