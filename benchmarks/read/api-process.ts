import { z } from 'zod'
import { clickhouseStore } from '../../libs/adapters/clickhouse/clickhouse-store.ts'
import { memoryEventLog } from '../../libs/adapters/memory/memory-event-log.ts'
import { uwsServer } from '../../libs/adapters/uws/uws-server.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { startApi } from '../../services/api/api.ts'

/**
 * A process of the API: forked, it sends its port. It has no topic `changes` but what it receives
 * as messages, in base64.
 */
const [url = '', username = '', password = '', database = '', chain = '1', pageBytesMax] =
  process.argv.slice(2)
const announced = z.array(z.base64())
const events = memoryEventLog()
const store = clickhouseStore({ url, username, password, database })
const api = await startApi({
  store,
  events,
  chainId: Number(chain),
  log: silentLog,
  metrics: startMetrics(),
  ...(pageBytesMax === undefined ? {} : { limits: { pageCacheBytesMax: Number(pageBytesMax) } }),
})
const server = await uwsServer({ port: 0, handler: api.handler, log: silentLog })
process.on('message', (message) => {
  const values = announced.parse(message).map((text) => Buffer.from(text, 'base64'))
  // Appended in memory: nothing can fail.
  void events.append(
    'changes',
    values.map((value) => ({ key: chain, value })),
  )
})
process.send?.({ port: server.port })
process.on('disconnect', () => process.exit())
// An orderly exit: then `--cpu-prof` writes its profile.
process.on('SIGTERM', () => process.exit())
