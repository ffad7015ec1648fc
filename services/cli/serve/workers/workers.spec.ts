import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { silentLog } from '../../../../libs/signals/log.ts'
import { startMetrics } from '../../../../libs/signals/metrics.ts'
import type { Reason } from '../health.ts'
import type { WorkerProcess } from './worker-process.ts'
import { Workers } from './workers.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const waiting: Reason = { reason: 'no-tables', sentence: 'database x has no tables yet' }

/** A process that ends when it is killed, or asked to; it answers while it is not blocked. */
class Process implements WorkerProcess {
  readonly pid = 1
  readonly ended: Promise<string>
  readonly signals: string[] = []
  reasons: readonly Reason[] = []
  isBlocked = false
  end: (how: string) => void = () => {}

  constructor() {
    this.ended = new Promise((resolve) => {
      this.end = resolve
    })
  }

  readiness(timeoutMs: number): Promise<readonly Reason[]> {
    if (!this.isBlocked) return Promise.resolve(this.reasons)
    return new Promise((_, reject) => setTimeout(() => reject(new Error('late')), timeoutMs))
  }

  async metrics(timeoutMs: number): Promise<string> {
    await this.readiness(timeoutMs)
    return 'some'
  }

  kill(signal: string): void {
    this.signals.push(signal)
    if (signal === 'SIGKILL' || !this.isBlocked) this.end(`signal ${signal}`)
  }
}

function bed(prepare: (process: Process, number: number) => void = () => {}) {
  const forked: { number: number; process: Process }[] = []
  const metrics = startMetrics()
  const workers = new Workers({
    count: 2,
    fork(number) {
      const process = new Process()
      prepare(process, number)
      forked.push({ number, process })
      return process
    },
    log: silentLog,
    metrics,
    onReadiness: () => {},
  })
  const failure = workers.run().then(
    () => null,
    (error: unknown) => String(error),
  )
  const processOf = (at: number) => forked[at]?.process ?? new Process()
  const restarts = async () =>
    (await metrics.workerRestarts.get()).values.map(({ labels, value }) => [labels.reason, value])
  return { workers, failure, forked, processOf, restarts }
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('all are ready once each says so', async () => {
  const { workers, processOf } = bed((process, number) => {
    process.reasons = number === 2 ? [waiting] : []
  })
  await pass(1)
  expect(workers.readyCount).toBe(1)
  expect(workers.reason).toEqual({
    reason: 'no-tables',
    sentence: 'worker 2 is not ready: database x has no tables yet',
  })
  processOf(1).reasons = []
  await pass(250)
  expect([workers.readyCount, workers.reason]).toEqual([2, null])
})

test('one that ends is not ready, and is started again under its number', async () => {
  const { workers, forked, processOf, restarts } = bed()
  await pass(1)
  processOf(1).end('exit code 7')
  await pass(1)
  expect([workers.readyCount, forked.length]).toEqual([1, 2])
  await pass(500)
  expect(forked.map(({ number }) => number)).toEqual([1, 2, 2])
  expect(workers.readyCount).toBe(2)
  expect(await restarts()).toEqual([
    ['ended', 1],
    ['unresponsive', 0],
  ])
})

test('one that does not answer for 10 s is killed and started again', async () => {
  const { forked, processOf, restarts } = bed()
  await pass(1)
  processOf(0).isBlocked = true
  await pass(10_000)
  expect(processOf(0).signals).toEqual([])
  await pass(251)
  expect(processOf(0).signals).toEqual(['SIGKILL'])
  await pass(500)
  expect(forked.map(({ number }) => number)).toEqual([1, 2, 1])
  expect(await restarts()).toEqual([
    ['ended', 0],
    ['unresponsive', 1],
  ])
})

test('one that starts slowly has a minute for its first answer', async () => {
  const { processOf } = bed((process, number) => {
    process.isBlocked = number === 1
  })
  await pass(59_999)
  expect(processOf(0).signals).toEqual([])
  await pass(2)
  expect(processOf(0).signals).toEqual(['SIGKILL'])
})

test('the run fails at once if one ends before any was ready', async () => {
  const { failure, processOf } = bed((process) => {
    process.reasons = [waiting]
  })
  await pass(1)
  processOf(0).end('exit code 1')
  expect(await failure).toMatch(/Worker 1 ended \(exit code 1\) before any worker was ready/)
})

test('the run fails if workers end again and again', async () => {
  let isSick = false
  const { failure, forked, processOf } = bed((process) => {
    if (isSick) process.end('signal SIGSEGV')
  })
  await pass(1)
  isSick = true
  processOf(0).end('signal SIGSEGV')
  await pass(120_000)
  expect(await failure).toMatch(/Workers end again and again.*worker 1 \(signal SIGSEGV\)/)
  // The first two, and three restarts for each of two workers.
  expect(forked).toHaveLength(8)
})

test('a stop ends all, restarts none, and kills one that is blocked', async () => {
  const { workers, failure, forked, processOf } = bed()
  await pass(1)
  processOf(1).isBlocked = true
  const stopped = workers.stop()
  await pass(8_999)
  expect(processOf(0).signals).toEqual(['SIGTERM'])
  expect(processOf(1).signals).toEqual(['SIGTERM'])
  await pass(1)
  await stopped
  expect(processOf(1).signals).toEqual(['SIGTERM', 'SIGKILL'])
  await pass(60_000)
  expect(await failure).toBeNull()
  expect(forked).toHaveLength(2)
})

test('metrics lack only those of a worker that does not answer', async () => {
  const { workers, processOf } = bed()
  await pass(1)
  processOf(0).isBlocked = true
  const texts = workers.metrics()
  await pass(2_000)
  expect(await texts).toEqual(['some'])
})
