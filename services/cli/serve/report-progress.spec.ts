import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { events } from '../../../libs/signals/events.ts'
import { silentLog } from '../../../libs/signals/log.ts'
import { startComponents } from '../process/run-until-stopped.ts'
import { reportProgress, sweptProgress } from './report-progress.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('logs how far a service is every half a minute, while it goes on', async () => {
  const lines: unknown[] = []
  const log = {
    ...silentLog,
    info: (fields: object, text: string) => lines.push({ ...fields, text }),
  }
  const components = startComponents()
  let position = 5
  reportProgress({ log, components, progress: () => ({ position, sentence: `at ${position}` }) })
  vi.advanceTimersByTime(60_000)
  expect(lines).toEqual([])
  position = 7
  vi.advanceTimersByTime(60_000)
  expect(lines).toEqual([{ event: events.service.progress, position: 7, text: 'at 7' }])
  await components.stop(1_000)
  position = 9
  vi.advanceTimersByTime(60_000)
  expect(lines).toHaveLength(1)
})

it('says how much of a sweep is left, at the pace since the last time', () => {
  let sweep = { asked: 0, progress: 1 }
  const status = () => ({
    ...{ phase: 'following' as const, position: 1, block: 1, sourceHead: 1, trouble: null, sweep },
  })
  const progress = sweptProgress({ status })
  const sentenceAfter = (asked: number, share: number) => {
    vi.advanceTimersByTime(30_000)
    sweep = { asked, progress: share }
    return progress().sentence
  }
  expect(progress().sentence).toBe('asked the node for 0 balances; 100 % of this round')
  expect(sentenceAfter(256, 0.05)).toBe('asked the node for 256 balances; 5 % of this round')
  expect(sentenceAfter(512, 0.3)).toBe(
    'asked the node for 512 balances; 30 % of this round, some 2 minutes left of it at this pace',
  )
  expect(sentenceAfter(600, 1)).toBe('asked the node for 600 balances; 100 % of this round')
  const { position } = progress()
  sentenceAfter(608, 1)
  expect(progress().position).toBe(position)
})
