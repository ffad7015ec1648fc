import type { SettingsOf } from '../../../libs/settings/settings.ts'
import type { Run } from '../command.ts'
import { openSource } from '../open-source.ts'
import { prepareFolder } from '../prepare-folder.ts'
import { startPublishing } from '../start-publishing.ts'
import { kafkaCheck } from './away.ts'
import { confirmChain } from './confirm-chain.ts'
import { ingestorCheck } from './ingestor-trouble.ts'
import { openKafka } from './open-kafka.ts'
import { openVolume } from './open-volume.ts'
import { publishedProgress, reportProgress } from './report-progress.ts'
import { type ServiceContext, serve, serveHealth } from './serve.ts'
import { waitUntilReady } from './until-there.ts'

type IngestorSettings = SettingsOf<'ingestor'>

/** `foldscan ingestor`: from a node to Kafka. */
export const serveIngestor: Run<'ingestor'> = (settings, { log }) =>
  serve('ingestor', { log }, (bed) => start(bed, settings))

async function start(bed: ServiceContext, settings: IngestorSettings): Promise<void> {
  const { dataDir } = settings
  await serveHealth(bed, settings)
  const { health, parts } = bed
  const folder = prepareFolder(dataDir)
  const events = await openKafka(bed, { settings, topics: ['blocks'] })
  const source = await waitUntilReady(bed, () => openSource({ ...bed, settings, folder }))
  const toConfirm = { settings, sourceChainId: source.chainId, log: events }
  await waitUntilReady(bed, () => confirmChain(toConfirm))
  const owner = `chain ${source.chainId}`
  const state = openVolume({ dataDir, name: 'ingestor-volume', owner, parts })
  const publishing = { ...bed, settings, source, events, state }
  const ingestor = await waitUntilReady(bed, () => startPublishing(publishing))
  health.add(kafkaCheck(events, 'blocks'))
  health.add(ingestorCheck(ingestor))
  reportProgress({ ...bed, progress: () => publishedProgress(ingestor) })
}
