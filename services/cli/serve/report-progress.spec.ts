import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { events } from '../../../libs/signals/events.ts'
import { silentLog } from '../../../libs/signals/log.ts'
import { startComponents } from '../process/run-until-stopped.ts'
import { reportProgress } from './report-progress.ts'

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
