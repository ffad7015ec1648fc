import { withAvailability } from '../../../libs/adapters/clickhouse/with-circuit-breaker.ts'
import type { StateStore } from '../../../libs/ports/state-store.ts'
import type { Store } from '../../../libs/ports/store.ts'
import type { BlocksGroup } from '../../../libs/projections/group.ts'
import { ledger } from '../../../libs/projections/ledger/ledger.ts'
import { stateGroup } from '../../../libs/projections/state/state-group.ts'
import { ReplicaPolls } from '../../../libs/queries/whole-replicas.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { groupId } from '../../../libs/tables/declare/group-versions.ts'
import { copiesFolder } from '../../projector/copies.ts'
import { factFolds } from '../../projector/facts/fact-folds.ts'
import { factsIn, writeThrough } from '../../projector/loop/write-through.ts'
import type { Run } from '../command.ts'
import { availableBytes } from '../process/folder-lock.ts'
import { insertedTables, startGroups, writtenTopics } from '../start-groups.ts'
import { logWithChainCheck } from './chain-check.ts'
import { clickhouseCheck, groupCheck, kafkaCheck } from './health.ts'
import { factsProgress, indexedProgress, reportProgress } from './report-progress.ts'
import { type ServiceContext, serve, serveHealth } from './serve.ts'
import { openServerStore, withAccessCheck, writingAddress } from './servers/clickhouse-access.ts'
import { consumerGroup, openKafka } from './servers/open-kafka.ts'
import { openPagesCache } from './servers/open-pages-cache.ts'
import { takeVolume, volumeOf } from './servers/open-volume.ts'
import { copyRegularly, startFromCopy } from './volume-copies.ts'
import { waitUntilReady } from './wait-until-ready.ts'

type ProjectorSettings = SettingsOf<'projector'>

const onChain: Readonly<Record<ProjectorSettings['group'], readonly BlocksGroup[]>> = {
  ledger: [ledger],
  state: [stateGroup],
  dimensions: [],
}

/** `foldscan projector`: one group, from Kafka into ClickHouse. */
export const serveProjector: Run<'projector'> = (settings, { log }) =>
  serve('projector', { log }, (context) => start(context, settings))

async function start(context: ServiceContext, settings: ProjectorSettings): Promise<void> {
  const { group, dataDir, chainId } = settings
  await serveHealth(context, settings)
  context.metrics.volumeAvailable.measure(() => availableBytes(dataDir))
  const { clickhouseCluster: cluster } = settings
  const { store, availability, deployment } = await openServerStore(context, chainId, {
    address: writingAddress(settings),
    cluster,
    sent: { queries: [], tables: insertedTables(group) },
    guard: withAvailability,
  })
  const kafka = await openKafka(context, {
    settings,
    topics: topicsOf(group),
    written: writtenTopics(group),
    groupOf: (topic) => consumerGroup(settings, groupId(group), topic),
  })
  const eventLog = await logWithChainCheck(context, kafka, deployment.chainId)
  const { health } = context
  const openState = await volumeWithCopies(context, settings, `deployment ${deployment.id}`)
  const cache = await openPagesCache(context, settings, deployment)
  const whole = cluster === '' || cache === null ? null : await wholeNow(context, store, settings)
  const facts = factsIn(store, whole)
  const through = cache === null ? {} : { writeThrough: writeThrough(cache, facts) }
  const reached = { eventLog, store, chainId: deployment.chainId }
  const folding = { ...context, ...reached, openState, ...through }
  const isDimensions = group === 'dimensions'
  const { onChain: projectors, dimensions } = startGroups(folding, onChain[group], isDimensions)
  health.add(clickhouseCheck(availability))
  health.add(kafkaCheck(eventLog, 'changes'))
  for (const projector of projectors) {
    health.add(groupCheck(projector))
    reportProgress({ ...context, progress: () => indexedProgress(projector) })
  }
  if (dimensions !== null) reportProgress({ ...context, progress: () => factsProgress(dimensions) })
}

/** @returns what opens the volume of the group, which starts from a copy if it is empty */
async function volumeWithCopies(
  context: ServiceContext,
  settings: ProjectorSettings,
  owner: string,
): Promise<() => StateStore> {
  const { group, dataDir, copies } = settings
  const { components } = context
  const name = volumeOf(groupId(group))
  const { folder: state, open } = takeVolume({ dataDir, name, owner, components })
  if (copies === null) return open
  const folder = copiesFolder(copies, owner, name)
  await startFromCopy(context, { root: copies, folder, state })
  return () => {
    const opened = open()
    copyRegularly(context, { settings, folder })
    return opened
  }
}

/**
 * Asks for the replicas that have all rows written by now.
 * @throws StartupError if the user may not read their states
 */
async function wholeNow(context: ServiceContext, store: Store, settings: ProjectorSettings) {
  const polls = new ReplicaPolls({
    store,
    database: settings.clickhouseDatabase,
    cluster: settings.clickhouseCluster,
    mark: () => null,
    limits: { pollEveryMs: null },
  })
  context.components.add({ name: 'states of the replicas', stop: async () => polls.stop() })
  const wholeSince = async (since: number) =>
    (await polls.known(({ startedAt }) => startedAt >= since)).whole
  const address = writingAddress(settings)
  await waitUntilReady(context, () => withAccessCheck(address, () => wholeSince(0)))
  return () => wholeSince(performance.now())
}

const topicsOf = (group: ProjectorSettings['group']): readonly string[] => {
  const sources = group === 'dimensions' ? factFolds.map(({ topic }) => topic) : []
  // Topic `blocks` contains the chain of all of them.
  return ['blocks', ...sources, ...writtenTopics(group)]
}
