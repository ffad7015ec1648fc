import { rpcSource } from '../../../libs/adapters/rpc/rpc-source.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import { factsTopic } from '../../enricher/fetch-loop.ts'
import { priceTopics } from '../../enricher/prices/known-facts.ts'
import type { Run } from '../command.ts'
import { availableBytes, prepareFolder } from '../process/folder-lock.ts'
import { startEnriching } from '../start-enriching.ts'
import { publishPrices } from '../start-pricing.ts'
import { chainInTopic } from './chain-check.ts'
import { kafkaCheck } from './health.ts'
import { type ServiceContext, serve, serveHealth } from './serve.ts'
import { openKafka } from './servers/open-kafka.ts'
import { openVolume } from './servers/open-volume.ts'
import { waitUntilReady } from './wait-until-ready.ts'

type EnricherSettings = SettingsOf<'enricher'>

/** `foldscan enricher`: metadata of NFTs, from what their contracts name to Kafka. */
export const serveEnricher: Run<'enricher'> = (settings, { log }) =>
  serve('enricher', { log }, (context) => start(context, settings))

async function start(context: ServiceContext, settings: EnricherSettings): Promise<void> {
  const { dataDir } = settings
  await serveHealth(context, settings)
  const { health, components, metrics } = context
  const folder = prepareFolder(dataDir)
  metrics.volumeAvailable.measure(() => availableBytes(folder))
  const eventLog = await openKafka(context, {
    settings,
    topics: ['blocks', factsTopic],
    written: [factsTopic],
  })
  const source = await waitUntilReady(context, () => openNode(context, settings))
  const chainId = await waitUntilReady(context, () => chainInTopic(eventLog))
  if (chainId !== null && chainId !== source.chainId) {
    throw new StartupError(
      `The node is of chain ${source.chainId}, topic blocks of chain ${chainId}: check --source.`,
    )
  }
  const owner = `chain ${source.chainId}`
  const state = openVolume({ dataDir, name: 'enricher-volume', owner, components })
  await startEnriching({ ...context, settings, source, eventLog, state })
  const { priceSource: file } = settings
  if (file !== null) {
    const [topics, written] = [['blocks', ...priceTopics], priceTopics]
    // A log has one reader of a topic: two that are at different places would hinder each other.
    const own = await openKafka(context, { settings, topics, written })
    publishPrices({ ...context, file, chainId: source.chainId, eventLog: own })
  }
  health.add(kafkaCheck(eventLog, 'blocks'))
}

async function openNode({ log, metrics, components }: ServiceContext, settings: EnricherSettings) {
  const limits = {
    batchCallsMax: settings.nodeBatchCalls,
    requestsMax: settings.nodeRequests,
  }
  const source = await rpcSource({ url: settings.source, log, metrics, limits })
  components.add({ name: 'source', stop: () => source.close() })
  return source
}
