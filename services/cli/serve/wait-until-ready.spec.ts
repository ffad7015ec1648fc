import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SourceError } from '../../../libs/ports/chain-source.ts'
import { LogUnavailable } from '../../../libs/ports/event-log.ts'
import {
  type Store,
  StoreDenied,
  StoreMissing,
  StoreUnavailable,
} from '../../../libs/ports/store.ts'
import { memoryEventLog } from '../../../libs/ports/testing/memory-event-log.ts'
import { silentLog } from '../../../libs/signals/log.ts'
import { Health } from './health.ts'
import {
  abortableLog,
  abortableStore,
  NotReady,
  transientReason,
  waitUntilReady,
} from './wait-until-ready.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function context() {
  const said: string[] = []
  const ending = new AbortController()
  const log = { ...silentLog, warn: (_: object, sentence: string) => void said.push(sentence) }
  return { said, ending, log, health: new Health(), signal: ending.signal }
}

const away = () => Promise.reject(new StoreUnavailable('connect ECONNREFUSED'))

describe('waiting for a server', () => {
  it('resolves with the result of the attempt, and logs nothing if that is immediate', async () => {
    const waiting = context()
    expect(await waitUntilReady(waiting, async () => 7)).toBe(7)
    expect(waiting.said).toEqual([])
  })

  it('logs the reason at first, and then at most every 10 s', async () => {
    const waiting = context()
    waitUntilReady(waiting, away).catch(() => {})
    await vi.advanceTimersByTimeAsync(9_000)
    expect(waiting.said).toEqual(['waiting: connect ECONNREFUSED'])
    await vi.advanceTimersByTimeAsync(21_000)
    expect(waiting.said).toHaveLength(3)
    waiting.ending.abort()
  })

  it('logs a new reason at once', async () => {
    const waiting = context()
    let attempts = 0
    const attempt = () =>
      ++attempts < 3 ? away() : Promise.reject(new NotReady('no-tables', 'no tables yet'))
    waitUntilReady(waiting, attempt).catch(() => {})
    await vi.advanceTimersByTimeAsync(3_000)
    expect(waiting.said).toEqual(['waiting: connect ECONNREFUSED', 'waiting: no tables yet'])
    waiting.ending.abort()
  })

  it('reports the reason in its health until it is ready', async () => {
    const waiting = context()
    let isThere = false
    const there = waitUntilReady(waiting, async () => (isThere ? 'there' : await away()))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await waiting.health.reasons()).toEqual([
      { reason: 'clickhouse-unavailable', sentence: 'connect ECONNREFUSED' },
    ])
    isThere = true
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await there).toBe('there')
    expect(await waiting.health.reasons()).toMatchObject([{ reason: 'starting' }])
  })

  it('ends when somebody asks to stop', async () => {
    const waiting = context()
    const there = waitUntilReady(waiting, away)
    const ended = expect(there).rejects.toThrow()
    await vi.advanceTimersByTimeAsync(1_000)
    waiting.ending.abort()
    await ended
  })

  it('ends with what will not pass', async () => {
    const denied = new StoreDenied('credentials', 'no such user')
    await expect(waitUntilReady(context(), () => Promise.reject(denied))).rejects.toBe(denied)
  })
})

describe('what may pass', () => {
  it.each([
    [new StoreUnavailable('x'), 'clickhouse-unavailable'],
    [new LogUnavailable('x'), 'kafka-unavailable'],
    [new SourceError('unreachable', 'x'), 'node-unavailable'],
    [new NotReady('no-topics', 'x'), 'no-topics'],
  ])('is %s: %s', (error, reason) => {
    expect(transientReason(error)).toEqual({ reason, sentence: 'x' })
  })

  it.each([
    new StoreDenied('rights', 'x'),
    new StoreMissing('x'),
    new SourceError('refused', 'x'),
    new Error('x'),
    'x',
  ])('is not %s', (error) => {
    expect(transientReason(error)).toBeNull()
  })
})

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = () => new Promise<never>(() => {})
const silent: Store = {
  insert: never,
  query: never,
  execute: never,
  ping: never,
  close: async () => {},
}

describe('a process that stops', () => {
  it('waits 2 s for what servers have not answered, and then no longer', async () => {
    const stop = new AbortController()
    const eventLog = abortableLog({ ...memoryEventLog(), read: never }, stop.signal)
    const store = abortableStore(silent, stop.signal)
    const outcomes: unknown[] = []
    eventLog
      .read('blocks', 0, { messagesMax: 1, bytesMax: 1 })
      .catch((error) => outcomes.push(error))
    store.insert('blocks', [], Buffer.alloc(0)).catch((error) => outcomes.push(error))
    await vi.advanceTimersByTimeAsync(60_000)
    stop.abort()
    await vi.advanceTimersByTimeAsync(1_900)
    expect(outcomes).toEqual([])
    await vi.advanceTimersByTimeAsync(200)
    expect(outcomes).toEqual([expect.any(LogUnavailable), expect.any(StoreUnavailable)])
  })

  it('asks nothing more after that', async () => {
    const stop = new AbortController()
    const eventLog = abortableLog(memoryEventLog(), stop.signal)
    expect(await eventLog.end('blocks')).toBe(0)
    stop.abort()
    expect(await eventLog.end('blocks')).toBe(0)
    await vi.advanceTimersByTimeAsync(2_000)
    await expect(eventLog.end('blocks')).rejects.toBeInstanceOf(LogUnavailable)
  })
})
