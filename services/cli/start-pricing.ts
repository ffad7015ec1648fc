import { httpWeb } from '../../libs/adapters/web/http-web.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import type { Log } from '../../libs/signals/log.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import { answerBytesMax } from '../enricher/prices/ask-source.ts'
import type { PriceSource } from '../enricher/prices/price-source.ts'
import { startPricing } from '../enricher/prices/pricing.ts'
import { priceSourceOf } from './process/price-source-of.ts'
import type { Components } from './process/run-until-stopped.ts'

interface StartPricing {
  /** Of `--price-source`; null for none. */
  readonly file: string | null
  readonly chainId: number
  readonly eventLog: EventLog
  readonly log: Log
  readonly metrics: Metrics
  readonly components: Components
}

/** Publishes prices until it is stopped; nothing without a source. @throws StartupError */
export function publishPrices({ file, components, ...parts }: StartPricing): void {
  const source = priceSourceOf(file)
  if (source === null) return
  const web = httpWeb({ trusted: urlsOf(source), limits: { bytesMax: answerBytesMax } })
  components.add({ name: 'web client of prices', stop: () => web.close() })
  const { stop, failed } = startPricing({ ...parts, source, web })
  components.add({ name: 'prices', stop, failed })
}

/** The operator names these hosts: they may be private. */
const urlsOf = ({ coin, history, tokens }: PriceSource) =>
  [coin, history, tokens].flatMap((one) =>
    one?.url.startsWith('http') ? [{ beginning: `${new URL(one.url).origin}/`, segment: /^/ }] : [],
  )
