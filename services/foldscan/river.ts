import { join } from 'node:path'
import { lmdbEventLog } from '../../libs/adapters/lmdb/lmdb-event-log.ts'
import { lmdbStateStore } from '../../libs/adapters/lmdb/lmdb-state-store.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import type { HttpHandler } from '../../libs/ports/http.ts'
import type { ChainSource } from '../../libs/ports/node.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import type { Store } from '../../libs/ports/store.ts'
import { ledger } from '../../libs/projections/ledger.ts'
import { stateGroup } from '../../libs/projections/state-group.ts'
import type { Settings } from '../../libs/settings/settings.ts'
import type { Log } from '../../libs/signals/log.ts'
import { type Metrics, startMetrics } from '../../libs/signals/metrics.ts'
import { embeddedBounds } from '../../libs/topics/topics.ts'
import { startIngestor } from '../ingestor/ingestor.ts'
import type { Ingestor } from '../ingestor/running-ingestor.ts'
import { decodedReader } from '../projector/decoded-reader.ts'
import { startDimensions } from '../projector/dimensions.ts'
import { type Projector, startProjector } from '../projector/projector.ts'
import type { Face } from './face.ts'
import { followReach } from './follow-reach.ts'
import { openApi } from './open-api.ts'
import { openSource } from './open-source.ts'
import { openStore } from './open-store.ts'
import type { Parts } from './parts.ts'
import { recentBlocks } from './recent-blocks.ts'
import { subjectsOf } from './subjects.ts'
import { type Witness, witnessed } from './witness.ts'
import { worthOpening } from './worth-opening.ts'

/** What all parts of a running river share. */
export interface RiverBed {
  readonly settings: Settings
  /** The data folder, absolute, and ours alone. */
  readonly folder: string
  readonly log: Log
  readonly face: Face
  readonly parts: Parts
}

/** @throws with one sentence; what has started by then is in `parts`. */
export async function startRiver(bed: RiverBed): Promise<void> {
  const metrics = startMetrics()
  metrics.watchProcess()
  const events = openLog(bed)
  const [store, source] = await Promise.all([openStore(bed), openSource({ ...bed, metrics })])
  const { handler, origin } = await openApi({
    ...bed,
    events,
    store,
    metrics,
    chainId: source.chainId,
  })
  const witness = witnessed(ledger)
  const projectors = startProjectors({ bed, events, store, metrics, witness })
  const ingestor = await ingest({ bed, events, source, metrics })
  follow({ bed, events, witness, projectors, ingestor, show: { handler, origin } })
}

function openLog({ folder, parts }: RiverBed): EventLog {
  const events = lmdbEventLog({ folder: join(folder, 'log'), keptMessagesMax: embeddedBounds })
  parts.add({ name: 'log', stop: () => events.close() })
  return events
}

function openState({ folder, parts }: RiverBed, name: string): StateStore {
  const state = lmdbStateStore({ folder: join(folder, name) })
  parts.add({ name: `state of ${name}`, stop: () => state.close() })
  return state
}

interface Folding {
  readonly bed: RiverBed
  readonly events: EventLog
  readonly store: Store
  readonly metrics: Metrics
  readonly witness: Witness
}

/** Both groups of one process share a reader, so that a message is decoded once. */
function startProjectors({ bed, events, store, metrics, witness }: Folding): Projector[] {
  const reader = decodedReader(events)
  const parts = { log: events, store, reader, metrics, signals: bed.log }
  const projectors = [witness.group, stateGroup].map((group) =>
    startProjector({ ...parts, group, state: openState(bed, group.name) }),
  )
  const dimensions = startDimensions({
    log: events,
    store,
    state: openState(bed, 'dimensions'),
    signals: bed.log,
    metrics,
  })
  const all = [...projectors, dimensions]
  bed.parts.add({
    name: 'projectors',
    // Together: each finishes the flush that is under way.
    stop: async () => void (await Promise.all(all.map((projector) => projector.stop()))),
    failed: Promise.race(all.map(({ failed }) => failed)),
  })
  return projectors
}

interface Ingesting extends Pick<Folding, 'bed' | 'events' | 'metrics'> {
  readonly source: ChainSource
}

async function ingest({ bed, events, source, metrics }: Ingesting): Promise<Ingestor> {
  const { fromBlock, allowGaps } = bed.settings
  const ingestor = await startIngestor({
    source,
    log: events,
    state: openState(bed, 'ingestor'),
    signals: bed.log,
    metrics,
    allowGaps,
    ...(fromBlock === null ? {} : { fromBlock }),
  })
  const { failed } = ingestor
  bed.parts.add({ name: 'ingestor', stop: () => ingestor.stop(), failed })
  return ingestor
}

interface Following {
  readonly bed: RiverBed
  readonly events: EventLog
  readonly witness: Witness
  readonly projectors: readonly Projector[]
  readonly ingestor: Ingestor
  readonly show: { readonly handler: HttpHandler; readonly origin: string }
}

function follow({ bed, events, witness, projectors, ingestor, show }: Following): void {
  const { face, parts } = bed
  const until = new AbortController()
  const following = followReach({
    groups: () => projectors.map((projector) => projector.status()),
    head: () => ingestor.status().sourceHead,
    witness,
    face,
    signal: until.signal,
    async worthALook(isFinal) {
      const subjects = subjectsOf(await recentBlocks(events))
      // A chain that has just begun may bring an NFT within the next blocks.
      const isWhole = Object.values(subjects).every((found) => found.length > 0)
      if (!isWhole && !isFinal) return false
      const worth = await worthOpening(subjects, show.handler, until.signal)
      if (until.signal.aborted) return true
      face.urls(worth.map(({ what, path }) => ({ what, url: show.origin + path })))
      face.ready()
      return true
    },
  })
  parts.add({
    name: 'face',
    failed: following.then(() => new Promise<never>(() => {})),
    async stop() {
      until.abort()
      await following
    },
  })
}
