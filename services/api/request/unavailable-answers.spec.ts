import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { silentLog } from '../../../libs/signals/log.ts'
import { startMetrics } from '../../../libs/signals/metrics.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import { countedNotReady } from '../not-ready.ts'
import { UnavailableAnswers } from './unavailable-answers.ts'

test('every reason of a 503 is 0 from the start, and explained by the runbook', async () => {
  const metrics = startMetrics('api')
  countedNotReady(metrics)
  expect(new UnavailableAnswers(silentLog, metrics).count(new Error('other'), 'id')).toBe(false)
  const { values } = await metrics.unavailable.get()
  expect(values.filter(({ value }) => value !== 0)).toEqual([])
  const counted = values.map(({ labels }) => String(labels.reason))
  const page = readFileSync(new URL(`../../../${runbooks.overload}`, import.meta.url), 'utf8')
  const cells = [...page.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell = '']) => cell)
  const explained = cells.flatMap((cell) => cell.slice(1, -1).split('`, `'))
  expect(counted.toSorted()).toEqual(explained.toSorted())
})
