import { uwsServer } from '../../libs/adapters/uws/uws-server.ts'
import type { HttpServer } from '../../libs/ports/http.ts'
import { aBalance, anAddress } from '../../libs/presenters/testing/rows.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { testApi } from '../../services/api/testing/test-api.ts'
import { Health, withHealth } from '../../services/cli/serve/health.ts'

/** A page that the API behind a proxy has. */
export const tokensPath = `/api/v2/addresses/${anAddress(0xa1)}/tokens`

const rows = Array.from({ length: 50 }, (_, at) => aBalance({ ordinal: at + 1 }))

/** The API with health and metrics on its port, as `foldscan up` has them. */
export function embeddedApi(): Promise<HttpServer> {
  const { handler } = testApi({ balancesOfAddress: async () => rows })
  return uwsServer({
    port: 0,
    log: silentLog,
    handler: withHealth(new Health(), startMetrics(), handler),
  })
}
