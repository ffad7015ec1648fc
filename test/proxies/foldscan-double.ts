import { uwsServer } from '../../libs/adapters/uws/uws-server.ts'
import type { HttpHandler } from '../../libs/ports/http.ts'
import { aBalance, anAddress } from '../../libs/presenters/testing/rows.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { RequestLimits } from '../../services/api/request/limits/request-limits.ts'
import { testApi } from '../../services/api/testing/test-api.ts'
import { Health, withHealth } from '../../services/cli/serve/health.ts'

/** The API on a socket, as `foldscan up` has it. */
export interface FoldscanDouble {
  readonly port: number
  /** Puts another handler in place of the API's; null: the API's again. */
  readonly answersBy: (handler: HttpHandler | null) => void
  readonly close: () => Promise<void>
}

/** An address that has tokens; none of the two is in any other table. */
export const subjects = { address: anAddress(0xa1), transaction: `0x${'7'.repeat(64)}` } as const

const rows = Array.from({ length: 50 }, (_, at) => aBalance({ ordinal: at + 1 }))

/** @param requests of one client, by default as many as a spec sends */
export async function foldscanDouble({ requests = 1_000_000 } = {}): Promise<FoldscanDouble> {
  const metrics = startMetrics()
  const settings = {
    ...{ requests, windowMs: 3_600_000, clientsMax: 10, trustedProxies: [], shared: null },
  }
  const requestLimits = new RequestLimits({
    ...{ settings, keys: { find: () => undefined }, metrics, log: silentLog },
  })
  const { handler, announce } = testApi({ balancesOfAddress: async () => rows }, { requestLimits })
  for (const group of ['ledger', 'state'] as const) announce(group, 1)
  let current = handler
  const server = await uwsServer({
    port: 0,
    log: silentLog,
    handler: withHealth(new Health(), startMetrics(), (request) => current(request)),
  })
  return {
    port: server.port,
    answersBy: (other) => {
      current = other ?? handler
    },
    close: () => server.close(),
  }
}
