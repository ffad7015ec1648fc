import { join } from 'node:path'
import { lmdbEventLog } from '../../../libs/adapters/lmdb/lmdb-event-log.ts'
import { lmdbStateStore } from '../../../libs/adapters/lmdb/lmdb-state-store.ts'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import type { HttpHandler } from '../../../libs/ports/http.ts'
import type { StateStore } from '../../../libs/ports/state-store.ts'
import { ledger } from '../../../libs/projections/ledger/ledger.ts'
import { stateGroup } from '../../../libs/projections/state/state-group.ts'
import type { Settings } from '../../../libs/settings/settings.ts'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import { type Metrics, startMetrics } from '../../../libs/signals/metrics.ts'
import { version } from '../../../libs/signals/version.ts'
import { claimDeployment } from '../../../libs/tables/deployment.ts'
import { embeddedBounds } from '../../../libs/topics/topics.ts'
import { routes } from '../../api/endpoints/routes.ts'
import { blocksBefore } from '../../api/examples/blocks-before.ts'
import { examplePages } from '../../api/examples/example-pages.ts'
import { subjectsOf } from '../../api/examples/subjects.ts'
import { factsTopic } from '../../enricher/fetch-loop.ts'
import { priceTopics } from '../../enricher/prices/known-facts.ts'
import type { Ingestor } from '../../ingestor/running-ingestor.ts'
import type { Projector } from '../../projector/projector.ts'
import type { Run } from '../command.ts'
import { measuredLog } from '../measured-log.ts'
import { openSource } from '../open-source.ts'
import { sourceForm } from '../process/check-start.ts'
import { availableBytes, lockFolder, prepareFolder } from '../process/folder-lock.ts'
import { isOnTerminal } from '../process/process-log.ts'
import { type Components, runUntilStopped } from '../process/run-until-stopped.ts'
import { chainInTopic } from '../serve/chain-check.ts'
import { startEnriching } from '../start-enriching.ts'
import { startGroups, writtenTopics } from '../start-groups.ts'
import { publishPrices } from '../start-pricing.ts'
import { startPublishing } from '../start-publishing.ts'
import { listenForApi, startApiServer } from './api-server.ts'
import { auditOwnNode } from './audit-own-node.ts'
import { type ConsoleUi, logUi } from './console-ui.ts'
import { type EmbeddedStore, openEmbeddedStore } from './embedded-store.ts'
import { firstBlock } from './first-block.ts'
import { type CountingGroup, countingGroup, followProgress } from './follow-progress.ts'
import { importNames } from './import-names.ts'
import { terminalUi } from './terminal-ui.ts'
import { withHeaders } from './with-headers.ts'

/** Shared context of the embedded deployment. */
export interface EmbeddedContext {
  readonly settings: Settings
  /** The data folder, absolute, and ours alone. */
  readonly folder: string
  readonly log: Log
  readonly ui: ConsoleUi
  readonly components: Components
}

/** @throws with one sentence; what has started by then is in `components`. */
export async function startEmbedded(context: EmbeddedContext): Promise<void> {
  const metrics = startMetrics('up')
  metrics.watchProcess()
  metrics.buildInfo.set({ command: 'up', version }, 1)
  metrics.volumeAvailable.measure(() => availableBytes(context.folder))
  const components = { ...context, metrics }
  const listener = await listenForApi(components)
  let mined = 0
  const onMining: ConsoleUi['mining'] = (progress) => {
    mined = progress.total
    context.ui.mining(progress)
  }
  const opening = openSource({ ...components, onMining })
  context.components.add({
    name: 'opening of the source',
    stop: async () => {},
    failed: opening.then(() => new Promise<never>(() => {})),
  })
  const { store, guarded, eventLog } = await openFolder(components)
  await importNamesOf(context, eventLog)
  // What is indexed is served before the source has opened: a demo chain is mined again first.
  const chainId = (await chainInTopic(eventLog)) ?? (await opening).chainId
  const { api, origin, figures } = await startApiServer({
    ...context,
    ...{ listener, eventLog, store: guarded, metrics, chainId },
  })
  const counting = countingGroup(ledger)
  const openState = (name: string) => openVolume(context, name)
  const groups = [counting.group, stateGroup]
  const folding = { ...context, eventLog, store, metrics, chainId, openState }
  const projectors = startGroups(folding, groups, true).onChain
  let publishing: Publishing | null = null
  const show = { handler: api.handler, origin }
  const head = () => Math.max(publishing?.ingestor.status().sourceHead ?? 0, mined)
  follow({ context, eventLog, counting, projectors, publishing: () => publishing, head, show })
  const source = await opening
  const state = openState('ingestor')
  const ingestor = await startPublishing({ ...context, source, eventLog, state, metrics })
  publishing = { ingestor, endsAtHead: source.endsAtHead }
  if (context.settings.metadata) {
    const volume = openState('enricher')
    await startEnriching({ ...context, source, eventLog, state: volume, metrics })
  }
  const { priceSource: file } = context.settings
  publishPrices({ ...context, file, chainId: source.chainId, eventLog, metrics })
  // Only after the chain of the log has been checked.
  await claimDeployment(store, source.chainId)
  auditOwnNode({ ...context, chainId, api, figures })
}

/** A folder of recorded blocks may bring names, as no node can be asked for them. */
async function importNamesOf(
  { settings, log }: EmbeddedContext,
  eventLog: EventLog,
): Promise<void> {
  const form = sourceForm(settings.source)
  if (form.kind !== 'folder') return
  const time = Math.floor(Date.now() / 1_000)
  const published = await importNames({ folder: form.folder, eventLog, time })
  for (const [file, facts] of published) {
    log.info({ event: events.up.imported, file, facts }, `published ${facts} facts of ${file}`)
  }
}

/**
 * The engine first: its lock works across containers, so a second process on this folder fails
 * there and does not take over the log of the first.
 */
async function openFolder(
  context: EmbeddedContext & { readonly metrics: Metrics },
): Promise<EmbeddedStore & { readonly eventLog: EventLog }> {
  const stores = await openEmbeddedStore(context)
  const written = (['ledger', 'state', 'dimensions'] as const).flatMap(writtenTopics)
  const eventLog = measuredLog(withHeaders(openLog(context)), context.metrics, [
    ...new Set(['blocks', factsTopic, ...priceTopics, ...written]),
  ])
  return { ...stores, eventLog }
}

function openLog({ folder, components }: EmbeddedContext): EventLog {
  const eventLog = lmdbEventLog({ folder: join(folder, 'log'), keptMessagesMax: embeddedBounds })
  components.add({ name: 'log', stop: () => eventLog.close() })
  return eventLog
}

function openVolume({ folder, components }: EmbeddedContext, name: string): StateStore {
  const state = lmdbStateStore({ folder: join(folder, name) })
  components.add({ name: `state of ${name}`, stop: () => state.close() })
  return state
}

interface Publishing {
  readonly ingestor: Ingestor
  /** Whether the source brings no block after those that it has at first. */
  readonly endsAtHead: boolean
}

interface Following {
  readonly context: EmbeddedContext
  readonly eventLog: EventLog
  readonly counting: CountingGroup
  readonly projectors: readonly Projector[]
  /** Null until the source has opened. */
  readonly publishing: () => Publishing | null
  /** The newest block of the source; of a demo chain, the last that it begins with. */
  readonly head: () => number
  readonly show: { readonly handler: HttpHandler; readonly origin: string }
}

function follow(following: Following): void {
  const { context, counting, projectors, head, publishing } = following
  const { ui, components } = context
  const until = new AbortController()
  const followed = followProgress({
    groups: () => projectors.map((projector) => projector.status()),
    ...{ head, counting, ui },
    endsAtHead: () => publishing()?.endsAtHead ?? null,
    isFinished: () => isFinished(following),
    signal: until.signal,
    showExamples: showExampleUrls(following, until.signal),
  })
  components.add({
    name: 'ui',
    failed: followed.then(() => new Promise<never>(() => {})),
    async stop() {
      until.abort()
      await followed
    },
  })
}

/** Interval of searching for example URLs while the chain is still being indexed. */
const lookIntervalMs = 1_000

function isFinished({ publishing, projectors }: Following): boolean {
  const { phase, position } = publishing()?.ingestor.status() ?? {}
  const isRead = projectors.every((projector) => projector.status().position === position)
  return phase === 'exhausted' && isRead
}

/** Shows example URLs once every endpoint has one, or no more can be expected. */
function showExampleUrls(
  following: Following,
  signal: AbortSignal,
): (isFinal: boolean) => Promise<boolean> {
  const { context, eventLog, show } = following
  const { ui } = context
  let lookedAt = Number.NEGATIVE_INFINITY
  return async (isFinal) => {
    const isOver = isFinal || isFinished(following)
    if (!isOver && performance.now() - lookedAt < lookIntervalMs) return false
    lookedAt = performance.now()
    const blocks = await blocksBefore(eventLog, await eventLog.end('blocks'))
    const found = await examplePages(await subjectsOf(blocks), show.handler, signal)
    const worth = found.filter(({ isEmpty }) => !isEmpty)
    // A chain that has just begun may bring an NFT within the next blocks.
    if (worth.length < routes.length && !isOver) return false
    if (signal.aborted) return true
    ui.urls(worth.map(({ what, path }) => ({ what, url: show.origin + path })))
    const first = await firstBlock(eventLog)
    if (first !== null && first > firstOfAnyChain) ui.startsLate(first)
    ui.ready()
    return true
  }
}

/** A chain whose first block is left out is complete all the same: nothing happens in it. */
const firstOfAnyChain = 1

/** People wait for a stop at most 5 s; the rest is for leaving. */
const stopTimeoutMs = 4_000

/** Runs `foldscan up` until it is stopped. @throws if a component fails or does not stop in time */
export const runUp: Run<'up'> = async (settings, { log }) => {
  const ui = isOnTerminal('service') ? terminalUi(process.stdout) : logUi(log)
  const folder = prepareFolder(settings.dataDir)
  const free = lockFolder(folder)
  try {
    await runUntilStopped({
      log,
      stopTimeoutMs,
      async start(components) {
        ui.starting(settings.source)
        await startEmbedded({ settings, folder, log, ui, components })
        return 'runs'
      },
      stopping: () => ui.stopping(),
    })
  } finally {
    free()
  }
  ui.stopped()
  return undefined
}
