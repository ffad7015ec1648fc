import { join } from 'node:path'
import { lmdbEventLog } from '../../libs/adapters/lmdb/lmdb-event-log.ts'
import { lmdbStateStore } from '../../libs/adapters/lmdb/lmdb-state-store.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import type { HttpHandler } from '../../libs/ports/http.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import { ledger } from '../../libs/projections/ledger.ts'
import { stateGroup } from '../../libs/projections/state-group.ts'
import type { Settings } from '../../libs/settings/settings.ts'
import type { Log } from '../../libs/signals/log.ts'
import { type Metrics, startMetrics } from '../../libs/signals/metrics.ts'
import { claimDeployment } from '../../libs/tables/deployment.ts'
import { embeddedBounds } from '../../libs/topics/topics.ts'
import type { Ingestor } from '../ingestor/running-ingestor.ts'
import type { Projector } from '../projector/projector.ts'
import type { ConsoleUi } from './face.ts'
import { firstBlock } from './first-block.ts'
import { followProgress } from './follow-reach.ts'
import { listenForApi, startApiServer } from './open-api.ts'
import { openSource } from './open-source.ts'
import { type EmbeddedStore, openEmbeddedStore } from './open-store.ts'
import type { Components } from './parts.ts'
import { recentBlocks } from './recent-blocks.ts'
import { startGroups } from './start-groups.ts'
import { startPublishing } from './start-publishing.ts'
import { subjectsOf } from './subjects.ts'
import { type CountingGroup, countingGroup } from './witness.ts'
import { examplePagesCount, exampleUrls } from './worth-opening.ts'

/** What all parts of a running river share. */
export interface EmbeddedContext {
  readonly settings: Settings
  /** The data folder, absolute, and ours alone. */
  readonly folder: string
  readonly log: Log
  readonly face: ConsoleUi
  readonly parts: Components
}

/** @throws with one sentence; what has started by then is in `parts`. */
export async function startEmbedded(bed: EmbeddedContext): Promise<void> {
  const metrics = startMetrics('up')
  metrics.watchProcess()
  const parts = { ...bed, metrics }
  const listener = await listenForApi(parts)
  let mined = 0
  const onMining: ConsoleUi['mining'] = (progress) => {
    mined = progress.total
    bed.face.mining(progress)
  }
  const [{ store, guarded, events }, source] = await Promise.all([
    openFolder(parts),
    openSource({ ...parts, onMining }),
  ])
  const { handler, origin } = await startApiServer({
    ...bed,
    listener,
    events,
    store: guarded,
    metrics,
    chainId: source.chainId,
  })
  const witness = countingGroup(ledger)
  const openState = (name: string) => openVolume(bed, name)
  const groups = [witness.group, stateGroup]
  const { chainId } = source
  const folding = { ...bed, events, store, metrics, chainId, openState }
  const projectors = startGroups(folding, groups, true).onChain
  const state = openState('ingestor')
  const ingestor = await startPublishing({ ...bed, source, events, state, metrics })
  // Only now: the log's own chain has been compared.
  await claimDeployment(store, source.chainId)
  const head = () => Math.max(ingestor.status().sourceHead ?? 0, mined)
  follow({ bed, events, witness, projectors, ingestor, head, show: { handler, origin } })
}

/**
 * The engine first: its own lock holds across containers, so a second process on this folder ends
 * there and does not take the log from the first one.
 */
async function openFolder(
  bed: EmbeddedContext & { readonly metrics: Metrics },
): Promise<EmbeddedStore & { readonly events: EventLog }> {
  const stores = await openEmbeddedStore(bed)
  return { ...stores, events: openLog(bed) }
}

function openLog({ folder, parts }: EmbeddedContext): EventLog {
  const events = lmdbEventLog({ folder: join(folder, 'log'), keptMessagesMax: embeddedBounds })
  parts.add({ name: 'log', stop: () => events.close() })
  return events
}

function openVolume({ folder, parts }: EmbeddedContext, name: string): StateStore {
  const state = lmdbStateStore({ folder: join(folder, name) })
  parts.add({ name: `state of ${name}`, stop: () => state.close() })
  return state
}

interface Following {
  readonly bed: EmbeddedContext
  readonly events: EventLog
  readonly witness: CountingGroup
  readonly projectors: readonly Projector[]
  readonly ingestor: Ingestor
  /** The newest block of the source; of a demo chain, the last that it begins with. */
  readonly head: () => number
  readonly show: { readonly handler: HttpHandler; readonly origin: string }
}

function follow(following: Following): void {
  const { bed, witness, projectors, head } = following
  const { face, parts } = bed
  const until = new AbortController()
  const followed = followProgress({
    groups: () => projectors.map((projector) => projector.status()),
    head,
    counting: witness,
    ui: face,
    signal: until.signal,
    showExamples: showExampleUrls(following, until.signal),
  })
  parts.add({
    name: 'face',
    failed: followed.then(() => new Promise<never>(() => {})),
    async stop() {
      until.abort()
      await followed
    },
  })
}

/** Between two looks for something to show, while a chain is still bringing more. */
const lookIntervalMs = 1_000

/** Shows URLs once all pages have something to show, or nothing more can be waited for. */
function showExampleUrls(
  { bed: { face }, events, projectors, ingestor, show }: Following,
  signal: AbortSignal,
): (isFinal: boolean) => Promise<boolean> {
  let lookedAt = Number.NEGATIVE_INFINITY
  const isComplete = () => {
    const { phase, position } = ingestor.status()
    const isRead = projectors.every((projector) => projector.status().position === position)
    return phase === 'exhausted' && isRead
  }
  return async (isFinal) => {
    const isOver = isFinal || isComplete()
    if (!isOver && performance.now() - lookedAt < lookIntervalMs) return false
    lookedAt = performance.now()
    const worth = await exampleUrls(subjectsOf(await recentBlocks(events)), show.handler, signal)
    // A chain that has just begun may bring an NFT within the next blocks.
    if (worth.length < examplePagesCount && !isOver) return false
    if (signal.aborted) return true
    face.urls(worth.map(({ what, path }) => ({ what, url: show.origin + path })))
    const first = await firstBlock(events)
    if (first !== null && first > firstOfAnyChain) face.startsLate(first)
    face.ready()
    return true
  }
}

/** A chain whose first block is left out is complete all the same: nothing happens in it. */
const firstOfAnyChain = 1
