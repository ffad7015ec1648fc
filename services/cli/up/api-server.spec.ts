import { expect, test } from 'vitest'
import { readSettings } from '../../../libs/settings/read-settings.ts'
import { silentLog } from '../../../libs/signals/log.ts'
import { startMetrics } from '../../../libs/signals/metrics.ts'
import { startComponents } from '../process/run-until-stopped.ts'
import { listenForApi } from './api-server.ts'

test('what is asked before the API is open is answered 503, and counted', async () => {
  const settings = readSettings('up', { flags: { host: '127.0.0.1', port: '0' }, environment: {} })
  const [components, metrics] = [startComponents(), startMetrics('up')]
  const { port } = await listenForApi({ settings, log: silentLog, components, metrics })
  try {
    const { status } = await fetch(`http://127.0.0.1:${port}/api/v2/tokens`)
    expect(status).toBe(503)
    expect(await metrics.registry.metrics()).toContain(
      'foldscan_unavailable_total{reason="starting"} 1\n',
    )
  } finally {
    await components.stop(1_000)
  }
})
