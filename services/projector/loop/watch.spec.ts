import { expect, test } from 'vitest'
import { events } from '../../../libs/signals/events.ts'
import { silentLog } from '../../../libs/signals/log.ts'
import { startMetrics } from '../../../libs/signals/metrics.ts'
import { nothingAccepted } from '../../../libs/topics/acceptance.ts'
import { Watch } from './watch.ts'

test('says every message that it skips, and once that it waits', async () => {
  const said: string[] = []
  const say = ({ event }: { event: string }) => void said.push(event)
  const metrics = startMetrics()
  const watch = new Watch('ledger', { ...silentLog, debug: say, error: say }, metrics)
  const stuck = async () => (await metrics.stuck.get()).values.map(({ value }) => value)
  watch.started({ accepted: nothingAccepted, silentUntil: 0 })
  expect(await stuck()).toEqual([0])
  for (const offset of [7, 8]) {
    const skipped = { fate: 'skipped', reason: 'invalid', detail: 'nonsense' } as const
    watch.folded(skipped, { sequence: 3, offset, behind: 1, message: null })
  }
  const { skipped, stuck: waits } = events.projector
  expect(said).toEqual([skipped, waits, skipped])
  expect(await stuck()).toEqual([1])
  const { values } = await metrics.skippedMessages.get()
  const counted = Object.fromEntries(values.map(({ labels, value }) => [labels.reason, value]))
  expect(counted).toEqual({ duplicate: 0, superseded: 0, invalid: 2, ahead: 0, 'too-deep': 0 })
})
