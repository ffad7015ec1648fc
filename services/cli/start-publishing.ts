import { address } from '../../libs/chain/hex.ts'
import type { ChainSource } from '../../libs/ports/chain-source.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import type { SettingsOf } from '../../libs/settings/settings.ts'
import type { Log } from '../../libs/signals/log.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import { startIngestor } from '../ingestor/ingestor.ts'
import type { Ingestor } from '../ingestor/running-ingestor.ts'
import type { Components } from './process/run-until-stopped.ts'

interface StartPublishingOptions {
  readonly settings: Pick<
    SettingsOf<'up' | 'ingestor'>,
    'fromBlock' | 'allowGaps' | 'coinEmitters' | 'sweptPairs'
  >
  readonly source: ChainSource
  readonly eventLog: EventLog
  readonly state: StateStore
  readonly log: Log
  readonly metrics: Metrics
  readonly components: Components
}

/** Addresses of the setting, where it is set. */
export const withCoinEmitters = (texts: readonly string[] | null) =>
  texts === null ? {} : { coinEmitters: texts.map(address) }

/** The ingestor, publishing what the source has. @throws if the log is of another chain */
export async function startPublishing(publishing: StartPublishingOptions): Promise<Ingestor> {
  const { settings, source, eventLog, state, log, metrics, components } = publishing
  const { fromBlock, allowGaps, coinEmitters, sweptPairs } = settings
  const ingestor = await startIngestor({
    source,
    eventLog,
    state,
    log,
    metrics,
    allowGaps,
    limits: { sweptPairsMax: sweptPairs },
    ...withCoinEmitters(coinEmitters),
    ...(fromBlock === null ? {} : { fromBlock }),
  })
  const { failed } = ingestor
  components.add({ name: 'ingestor', stop: () => ingestor.stop(), failed })
  return ingestor
}
