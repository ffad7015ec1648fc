import { expect, test } from 'vitest'
import { LogUnavailable } from '../../libs/ports/event-log.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { measuredLog } from './measured-log.ts'

test('measures appends by topic, those that fail included', async () => {
  const metrics = startMetrics()
  const inner = memoryEventLog()
  const append = inner.append.bind(inner)
  inner.append = (topic, messages) =>
    topic === 'changes' ? Promise.reject(new LogUnavailable('x')) : append(topic, messages)
  const eventLog = measuredLog(inner, metrics, ['blocks', 'changes', 'token-facts.dead-letters'])
  expect(await eventLog.append('blocks', [{ key: '1', value: Buffer.from('a') }])).toEqual([0])
  await expect(eventLog.append('changes', [])).rejects.toThrow(LogUnavailable)
  const lines = (await metrics.registry.metrics()).split('\n')
  expect(lines.filter((line) => line.startsWith('foldscan_append_seconds_count'))).toEqual([
    'foldscan_append_seconds_count{topic="blocks"} 1',
    'foldscan_append_seconds_count{topic="changes"} 1',
    'foldscan_append_seconds_count{topic="token-facts.dead-letters"} 0',
  ])
})
