import { storeLeftAlone } from '../../../libs/adapters/clickhouse/store-left-alone.ts'
import { uwsServer } from '../../../libs/adapters/uws/uws-server.ts'
import type { HttpHandler } from '../../../libs/ports/http.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { startApi } from '../../api/api.ts'
import { failure } from '../../api/reply.ts'
import { readingAddress } from './clickhouse-address.ts'
import { healthAnswer } from './health-answers.ts'
import { ofChain } from './of-chain.ts'
import { openKafka } from './open-kafka.ts'
import { openPagesCache } from './open-pages-cache.ts'
import { openServerStore } from './open-server-store.ts'
import { type Bed, serve } from './serve.ts'
import { untilThere } from './until-there.ts'

type ApiSettings = SettingsOf<'api'>

/** `foldscan api`: answers from ClickHouse, hears from Kafka what moved. */
export const serveApi = (settings: ApiSettings): Promise<void> =>
  serve('api', settings, (bed) => start(bed, settings))

async function start(bed: Bed, settings: ApiSettings): Promise<void> {
  const { log, metrics, health, parts } = bed
  let answers: HttpHandler = async () => failure('unavailable')
  const server = await uwsServer({
    host: settings.host,
    port: settings.port,
    log,
    handler: async (request) =>
      (await healthAnswer(request, health, metrics)) ?? (await answers(request)),
  })
  parts.add({ name: 'server', stop: () => server.close() })
  const address = readingAddress(settings)
  const { store, deployment } = await openServerStore(bed, address, settings.chainId)
  // Announcements do not say their chain: that of their neighbour tells.
  const kafka = await openKafka(bed, { settings, topics: ['blocks', 'changes'] })
  const events = await ofChain(bed, kafka, deployment.chainId)
  const cache = await openPagesCache(bed, settings, deployment)
  const { chainId } = deployment
  const limits = { figuresStepSeconds: settings.figuresStepSeconds }
  const asked = storeLeftAlone(store, bed)
  const api = await untilThere(bed, () =>
    startApi({
      store: asked,
      events,
      chainId,
      log,
      metrics,
      limits,
      ...(cache === null ? {} : { cache }),
    }),
  )
  parts.add({ name: 'api', stop: () => api.stop() })
  answers = api.handler
}
