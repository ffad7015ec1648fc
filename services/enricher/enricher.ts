import { setMaxListeners } from 'node:events'
import type { EventLog } from '../../libs/ports/event-log.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import type { TokenUris } from '../../libs/ports/token-uris.ts'
import type { Web } from '../../libs/ports/web.ts'
import { events } from '../../libs/signals/events.ts'
import { type Log, silentLog } from '../../libs/signals/log.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import { FetchLoop } from './fetch-loop.ts'
import type { Gateways } from './fetch-nft.ts'
import { BlockFollower } from './follow-blocks.ts'
import { type EnricherLimits, enricherLimits } from './limits.ts'
import { NftQueue } from './nft-queue.ts'

export interface EnricherOptions {
  readonly eventLog: EventLog
  /** What waits survives restarts here; an empty one is filled from the topics again. */
  readonly state: StateStore
  readonly uris: TokenUris
  readonly web: Web
  readonly gateways: Gateways
  readonly log?: Log
  readonly metrics?: Metrics
  readonly limits?: Partial<EnricherLimits>
}

/** A running enricher. */
export interface Enricher {
  /** Rejects when it cannot go on. */
  readonly failed: Promise<never>
  /** NFTs that are due at some time. */
  readonly waiting: () => number
  /** Resolves when nothing of it runs any more. */
  readonly stop: () => Promise<void>
}

/** Publishes metadata of the NFTs that topic `blocks` names on topic `instance-facts`. */
export async function startEnricher(options: EnricherOptions): Promise<Enricher> {
  const { log = silentLog, metrics } = options
  const limits = { ...enricherLimits, ...options.limits }
  const queue = await NftQueue.open(options.state, limits)
  metrics?.enricherWaiting.measure(() => queue.waiting)
  metrics?.enricherUnfetched.measure(() => queue.unfetched)
  metrics?.enricherDelay.measure(() => queue.delay(Date.now()) / 1_000)
  log.info({ event: events.enricher.started, waiting: queue.waiting }, 'fetching metadata of NFTs')
  const ending = new AbortController()
  const { signal } = ending
  // Each fetch follows it.
  setMaxListeners(0, signal)
  const parts = { ...options, log, limits, queue, metrics }
  const following = new BlockFollower(parts, signal).run()
  const fetching = new FetchLoop(parts, signal).run()
  const both = Promise.all([following, fetching])
  const failed = both.then(() => new Promise<never>(() => {}))
  // Awaited by whoever stops it, or not at all.
  failed.catch(() => {})
  return {
    failed,
    waiting: () => queue.waiting,
    async stop() {
      ending.abort()
      await Promise.allSettled([following, fetching])
    },
  }
}
