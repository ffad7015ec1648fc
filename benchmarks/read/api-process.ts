import { clickhouseStore } from '../../libs/adapters/clickhouse/clickhouse-store.ts'
import { memoryEventLog } from '../../libs/adapters/memory/memory-event-log.ts'
import { uwsServer } from '../../libs/adapters/uws/uws-server.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { startApi } from '../../services/api/api.ts'

/** A process of the API without the changes of a projector: forked, it sends its port. */
const [url = '', username = '', password = '', database = ''] = process.argv.slice(2)
const store = clickhouseStore({ url, username, password, database })
const api = await startApi({
  store,
  events: memoryEventLog(),
  chainId: 1,
  log: silentLog,
  metrics: startMetrics(),
})
const server = await uwsServer({ port: 0, handler: api.handler, log: silentLog })
process.send?.({ port: server.port })
process.on('disconnect', () => process.exit())
