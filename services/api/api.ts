import { memoryCache } from '../../libs/adapters/memory/memory-cache.ts'
import type { Cache } from '../../libs/ports/cache.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import type { HttpHandler } from '../../libs/ports/http.ts'
import type { Store } from '../../libs/ports/store.ts'
import { progressOf } from '../../libs/queries/progress.ts'
import { conflicts } from '../../libs/queries/versions.ts'
import { events as eventNames } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import type { Asks } from './asks.ts'
import { apiHandler } from './handler.ts'
import { followChanges, HeadOfGroups, offsetOfChanges } from './head.ts'
import type { Shared } from './look-up.ts'
import { Moved } from './moved.ts'
import { Pages } from './pages.ts'
import { Remembered } from './remembered.ts'
import { storeAsks } from './store-asks.ts'

export interface ApiForm {
  readonly store: Store
  readonly events: EventLog
  readonly chainId: number
  readonly log: Log
  readonly metrics: Metrics
  /** In this process where none is given. */
  readonly cache?: Cache
  readonly limits?: Partial<ApiLimits>
}

export interface ApiLimits {
  readonly requestsInFlightMax: number
  /** Answers kept as bytes, all together. */
  readonly pageCacheBytesMax: number
  /** Tokens, and addresses, kept as rows; each. */
  readonly rememberedRowsMax: number
}

const limitsDefault: ApiLimits = {
  requestsInFlightMax: 512,
  pageCacheBytesMax: 64 * 1024 * 1024,
  rememberedRowsMax: 20_000,
}

export interface Api {
  readonly handler: HttpHandler
  stop(): Promise<void>
}

/** Starts to follow what changes; resolves when questions can be answered. */
export async function startApi(form: ApiForm): Promise<Api> {
  const limits = { ...limitsDefault, ...form.limits }
  const { store, metrics, log } = form
  const asks = storeAsks(store)
  const head = new HeadOfGroups()
  const moved = new Moved(families)
  const ending = new AbortController()
  // In this order: what is announced while the progress is read is heard afterwards.
  const offset = await offsetOfChanges(form.events)
  await hearProgress(store, head)
  const follower = { log: form.events, head, moved, signals: log, signal: ending.signal }
  const following = followChanges(offset, follower)
  const cache = form.cache ?? memoryCache({ bytesMax: limits.pageCacheBytesMax })
  const pages = new Pages({
    cache,
    // Announcements heard count too: a doubt about them empties the cache as they do.
    now: () => ({ name: `${head.name}|${moved.now}`, position: head.position }),
    onRead: (outcome) => metrics.cacheReads.inc({ cache: 'pages', outcome }),
  })
  const shared = sharedOf({ asks, moved, metrics, rowsMax: limits.rememberedRowsMax })
  const alarm = alarmed(log)
  conflicts.subscribe(alarm)
  return {
    handler: apiHandler({
      sources: { asks, shared, pages, head: () => head.head, chainId: form.chainId },
      log,
      metrics,
      requestsInFlightMax: limits.requestsInFlightMax,
    }),
    async stop() {
      ending.abort()
      conflicts.unsubscribe(alarm)
      await following
      if (form.cache === undefined) await cache.close()
    },
  }
}

/** Tables whose rows are remembered between requests. */
const families = ['token_state', 'address_state', 'token_market', 'address_labels']

/** How far the tables can be read: written before each announcement, so never behind them. */
async function hearProgress(store: Store, head: HeadOfGroups): Promise<void> {
  for (const [group, row] of await progressOf(store)) {
    if (group !== 'ledger' && group !== 'state' && group !== 'dimensions') continue
    head.hear({ group, position: row.position, block: row.blockNumber, time: row.timestamp })
  }
}

interface SharedForm {
  readonly asks: Asks
  readonly moved: Moved
  readonly metrics: Metrics
  readonly rowsMax: number
}

export function sharedOf({ asks, moved, metrics, rowsMax }: SharedForm): Shared {
  const form = (family: string) => ({
    family,
    moved,
    rowsMax,
    onReads: (outcome: 'hit' | 'miss', count: number) =>
      metrics.cacheReads.inc({ cache: family, outcome }, count),
  })
  const tokens = new Remembered({ ...form('token_state'), ask: asks.tokenStates })
  const tokenFacts = new Remembered({ ...form('token_market'), ask: asks.tokenFacts })
  const addresses = new Remembered({ ...form('address_state'), ask: asks.addressStates })
  const addressFacts = new Remembered({ ...form('address_labels'), ask: asks.addressFacts })
  return {
    tokens: (subjects) => tokens.get(subjects),
    tokenFacts: (subjects) => tokenFacts.get(subjects),
    addresses: (subjects) => addresses.get(subjects),
    addressFacts: (subjects) => addressFacts.get(subjects),
  }
}

/** Rows of one key and position that differ: a broken fold or writer, whatever was asked. */
const alarmed = (log: Log) => (conflict: unknown) =>
  log.error({ event: eventNames.api.conflictingRows, conflict }, 'rows of one version differ')
