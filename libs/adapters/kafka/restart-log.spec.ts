import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Log, silentLog } from '../../signals/log.ts'
import { RestartLog } from './restart-log.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

function logged() {
  const lines: string[] = []
  const line = (level: string) => (_: object, sentence: string) => {
    lines.push(`${level}: ${sentence}`)
  }
  const log: Log = {
    ...silentLog,
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
  }
  return { log: new RestartLog('blocks', log), taken: () => lines.splice(0) }
}

const away = new Error('connect ECONNREFUSED')
const sentence = 'restarting the consumer of topic blocks: connect ECONNREFUSED'

test('of restarts the first is a warning, and one a minute', () => {
  const { log, taken } = logged()
  const levels = () => taken().map((line) => line.split(':')[0])
  log.restarting(away, 100)
  expect(taken()).toEqual([`warn: ${sentence}`])
  for (let at = 0; at < 20; at++) {
    vi.advanceTimersByTime(3_000)
    log.restarting(away, 3_000)
  }
  expect(levels()).toEqual([...Array.from({ length: 19 }, () => 'debug'), 'warn'])
})

test('a consumer that reads again says after how many restarts', () => {
  const { log, taken } = logged()
  log.joined('g', true)
  expect(taken()).toEqual(['debug: reads topic blocks in group g'])
  for (let at = 0; at < 3; at++) log.restarting(away, 100)
  taken()
  log.joined('g', true)
  expect(taken()).toEqual(['info: reads topic blocks again, after 3 restarts of its consumer'])
  log.joined('g', true)
  expect(taken()).toEqual(['debug: reads topic blocks in group g'])
})

test('a consumer that reads and fails again and again logs two lines a minute', () => {
  const { log, taken } = logged()
  const cycles = 100
  for (let at = 0; at < cycles; at++) {
    log.restarting(away, 100)
    log.joined('g', true)
    vi.advanceTimersByTime(1_000)
  }
  expect(taken().filter((line) => !line.startsWith('debug: '))).toEqual([
    `warn: ${sentence}`,
    'info: reads topic blocks again, after one restart of its consumer',
    `warn: ${sentence}`,
    'info: reads topic blocks again, after one restart of its consumer',
  ])
})

test('a consumer that stands by says so', () => {
  const { log, taken } = logged()
  log.restarting(away, 100)
  taken()
  log.joined('g', false)
  expect(taken()).toEqual(['info: another member of group g reads topic blocks: standing by'])
})
