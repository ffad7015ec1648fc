import type { SettingsOf } from '../../../libs/settings/settings.ts'
import type { Run } from '../command.ts'
import { openSource } from '../open-source.ts'
import { availableBytes, prepareFolder } from '../process/folder-lock.ts'
import { startPublishing } from '../start-publishing.ts'
import { confirmChain } from './chain-check.ts'
import { ingestorCheck, kafkaCheck } from './health.ts'
import { publishedProgress, reportProgress, sweptProgress } from './report-progress.ts'
import { type ServiceContext, serve, serveHealth } from './serve.ts'
import { openKafka } from './servers/open-kafka.ts'
import { openVolume } from './servers/open-volume.ts'
import { waitUntilReady } from './wait-until-ready.ts'

type IngestorSettings = SettingsOf<'ingestor'>

/** `foldscan ingestor`: from a node to Kafka. */
export const serveIngestor: Run<'ingestor'> = (settings, { log }) =>
  serve('ingestor', { log }, (context) => start(context, settings))

async function start(context: ServiceContext, settings: IngestorSettings): Promise<void> {
  const { dataDir } = settings
  await serveHealth(context, settings)
  const { health, components, metrics } = context
  const folder = prepareFolder(dataDir)
  metrics.volumeAvailable.measure(() => availableBytes(folder))
  const eventLog = await openKafka(context, {
    settings,
    topics: ['blocks', 'holders'],
    written: ['blocks'],
  })
  const source = await waitUntilReady(context, () => openSource({ ...context, settings, folder }))
  const toConfirm = { settings, sourceChainId: source.chainId, eventLog }
  await waitUntilReady(context, () => confirmChain(toConfirm))
  const owner = `chain ${source.chainId}`
  const state = openVolume({ dataDir, name: 'ingestor-volume', owner, components })
  const publishing = { ...context, settings, source, eventLog, state }
  const ingestor = await waitUntilReady(context, () => startPublishing(publishing))
  health.add(kafkaCheck(eventLog, 'blocks'))
  health.add(ingestorCheck(ingestor))
  reportProgress({ ...context, progress: () => publishedProgress(ingestor) })
  reportProgress({ ...context, progress: sweptProgress(ingestor) })
}
