import { z } from 'zod'
import { clickhouseStore } from '../../libs/adapters/clickhouse/clickhouse-store.ts'
import { redisCache } from '../../libs/adapters/redis/redis-cache.ts'
import { uwsServer } from '../../libs/adapters/uws/uws-server.ts'
import { type HttpHandler, headerOf } from '../../libs/ports/http.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { startApi } from '../../services/api/api.ts'
import { countedId } from './counted-request.ts'

/**
 * A process of the API: forked, it sends its port. It has no topic `changes` but what it receives
 * as messages, in base64.
 */
const [url = '', username = '', password = '', database = '', chain = '1', ...further] =
  process.argv.slice(2)
const [pageBytesMax, redisUrl] = further
const redisWaitMsMax = 5_000
const announced = z.array(z.base64())
const events = memoryEventLog()
const store = clickhouseStore({ url, username, password, database })
const metrics = startMetrics()
const cache =
  redisUrl === undefined
    ? undefined
    : redisCache({
        ...{ url: redisUrl, prefix: 'api:', deployment: 'bench', log: silentLog, metrics },
        // A busy machine must not be what makes a page of Redis one of the tables.
        limits: { commandTimeoutMs: 10_000 },
      })
if (cache !== undefined && !(await cache.connected(redisWaitMsMax))) throw new Error('no Redis')
const api = await startApi({
  store,
  eventLog: events,
  chainId: Number(chain),
  log: silentLog,
  metrics,
  ...(cache === undefined ? {} : { cache }),
  ...(pageBytesMax === undefined ? {} : { limits: { pageCacheBytesMax: Number(pageBytesMax) } }),
})
const counts = { hits: 0, misses: 0 }
let isCounting = false
const handler: HttpHandler = (request) => {
  const isCounted = isCounting && headerOf(request, 'x-request-id') === countedId
  const response = api.handler(request)
  if (isCounted) counts[response instanceof Promise ? 'misses' : 'hits'] += 1
  return response
}
const server = await uwsServer({ port: 0, handler, log: silentLog })
async function reportCounts() {
  const { values } = await metrics.cachedPagesBytes.get()
  process.send?.({ ...counts, cachedBytes: values[0]?.value ?? 0 })
}
process.on('message', (message) => {
  if (message === 'count') {
    isCounting = true
    return
  }
  if (message === 'hits') {
    // Numbers in memory: nothing can fail.
    void reportCounts()
    return
  }
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
