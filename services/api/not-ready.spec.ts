import { expect, test } from 'vitest'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { countedNotReady } from './not-ready.ts'

const request = { method: 'GET', path: '/api/v2/tokens', query: '', headers: {}, client: 'a' }

test('counts each request that an api answers before it can read, and none before the first', async () => {
  const metrics = startMetrics('api')
  const answer = countedNotReady(metrics)
  const counted = async () =>
    (await metrics.registry.metrics())
      .split('\n')
      .filter((line) => /^foldscan_(?:requests_total|unavailable_total|\w+_count)\{/.test(line))
  expect(await counted()).toEqual(['foldscan_unavailable_total{reason="starting"} 0'])
  expect((await answer(request)).status).toBe(503)
  expect((await answer(request)).status).toBe(503)
  expect((await answer({ ...request, method: 'OPTIONS' })).status).toBe(204)
  expect(await counted()).toEqual([
    'foldscan_requests_total{route="starting",status="503"} 2',
    'foldscan_requests_total{route="starting",status="204"} 1',
    'foldscan_request_seconds_count{route="starting"} 3',
    'foldscan_unavailable_total{reason="starting"} 2',
  ])
})
