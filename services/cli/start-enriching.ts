import { httpWeb } from '../../libs/adapters/web/http-web.ts'
import type { ChainSource } from '../../libs/ports/chain-source.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import type { SettingsOf } from '../../libs/settings/settings.ts'
import type { Log } from '../../libs/signals/log.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import { urlsOfGateways } from '../enricher/documents/gateway-urls.ts'
import { startEnricher } from '../enricher/enricher.ts'
import { gatewaysOf } from './process/check-start.ts'
import type { Components } from './process/run-until-stopped.ts'

interface StartEnrichingOptions {
  readonly settings: Pick<
    SettingsOf<'up' | 'enricher'>,
    'metadataFetches' | 'ipfsGateways' | 'arweaveGateway'
  >
  readonly source: ChainSource
  readonly eventLog: EventLog
  readonly state: StateStore
  readonly log: Log
  readonly metrics: Metrics
  readonly components: Components
}

/** Fetches the metadata of NFTs until it is stopped; nothing without a node. */
export async function startEnriching(enriching: StartEnrichingOptions): Promise<void> {
  const { settings, source, components, ...parts } = enriching
  const { tokenUris: uris } = source
  if (uris === undefined) return
  const { metadataFetches: fetchesMax } = settings
  const gateways = gatewaysOf(settings)
  const web = httpWeb({
    trusted: urlsOfGateways(gateways),
    // A gateway is the one host of most NFTs.
    limits: { requestsMax: fetchesMax, requestsPerTrustedHostMax: fetchesMax },
  })
  components.add({ name: 'web client', stop: () => web.close() })
  const enricher = await startEnricher({ ...parts, uris, web, gateways, limits: { fetchesMax } })
  components.add({ name: 'enricher', stop: enricher.stop, failed: enricher.failed })
}
