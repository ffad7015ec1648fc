import { ClickHouseError } from '@clickhouse/client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Store, StoreUnavailable } from '../../ports/store.ts'
import { events } from '../../signals/events.ts'
import type { Log, LogFields } from '../../signals/log.ts'
import { startMetrics } from '../../signals/metrics.ts'
import { type LeftAloneLimits, storeLeftAlone } from './store-left-alone.ts'
import { storeError } from './unavailable.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const limits: LeftAloneLimits = {
  failuresMax: 3,
  failureWindowMs: 60_000,
  pauseMsMin: 500,
  pauseMsMax: 1_000,
  silenceMsMin: 1_000,
  probeMsMax: 2_000,
}

const silent = () => new StoreUnavailable('query: Timeout error.')
const saidNo = () =>
  storeError(new ClickHouseError({ message: 'memory', code: '241', type: 'MEMORY' }), 'query')

/** A store whose questions the spec answers, in the order in which they came. */
function bed() {
  const asked: { answer: () => void; fail: (error: Error) => void }[] = []
  const query = vi.fn(
    () =>
      new Promise<Buffer>((resolve, reject) => {
        asked.push({ answer: () => resolve(Buffer.from('rows')), fail: reject })
      }),
  )
  const insert = vi.fn(async () => {})
  const execute = vi.fn(async () => {})
  const inner: Store = { query, insert, execute, close: async () => {} }
  const said: LogFields['event'][] = []
  const write = ({ event }: LogFields) => void said.push(event)
  const log: Log = { debug: write, info: write, warn: write, error: write, fatal: write }
  const metrics = startMetrics()
  const store = storeLeftAlone(inner, { log, metrics, limits, now: () => Date.now() })
  const isAway = async () => (await metrics.storeAway.get()).values[0]?.value
  /** Asks, and tells how it ends. */
  const ask = () =>
    store.query('SELECT 1', {}).then(
      () => 'rows',
      (error: Error) => error.message,
    )
  /** Questions in a row that end so; the store's words are those of the last. */
  const end = async (error: Error, times = 1) => {
    let outcome = ''
    for (let time = 0; time < times; time++) {
      const ending = ask()
      asked.shift()?.fail(error)
      outcome = await ending
    }
    return outcome
  }
  return { asked, store, insert, execute, said, isAway, ask, end, query }
}

const leftAlone = 'ClickHouse does not answer, and is left alone'

describe('a store that does not answer', () => {
  it('is asked until so many questions in a row had no answer, then refused at once', async () => {
    const { end, ask, query, said, isAway } = bed()
    expect(await end(silent(), 3)).toBe('query: Timeout error.')
    expect(await ask()).toBe(leftAlone)
    expect(query).toHaveBeenCalledTimes(3)
    expect([said, await isAway()]).toEqual([[events.store.away], 1])
  })

  it('takes inserts and statements all the same', async () => {
    const { end, store, insert, execute } = bed()
    await end(silent(), 3)
    await store.insert('blocks', ['number'], Buffer.alloc(1))
    await store.execute('SELECT 1')
    expect([insert.mock.calls.length, execute.mock.calls.length]).toEqual([1, 1])
  })

  it('lets nobody wait who was waiting when it is left alone', async () => {
    const { asked, end, ask } = bed()
    const waiting = [ask(), ask()]
    const hung = asked.splice(0)
    await end(silent(), 3)
    expect(await Promise.all(waiting)).toEqual([leftAlone, leftAlone])
    for (const { fail } of hung) fail(silent())
  })

  it('is asked one question after the pause, and is used if that has an answer', async () => {
    const { asked, end, ask, query, said, isAway } = bed()
    await end(silent(), 3)
    await vi.advanceTimersByTimeAsync(499)
    expect(await ask()).toBe(leftAlone)
    await vi.advanceTimersByTimeAsync(1)
    const probe = ask()
    expect(await ask()).toBe(leftAlone)
    expect(query).toHaveBeenCalledTimes(4)
    asked.shift()?.answer()
    expect(await probe).toBe('rows')
    expect([said, await isAway()]).toEqual([[events.store.away, events.store.used], 0])
    const next = ask()
    asked.shift()?.answer()
    expect(await next).toBe('rows')
  })

  it('is left alone for longer if that has none, and says so once', async () => {
    const { end, ask, query, said } = bed()
    await end(silent(), 3)
    await vi.advanceTimersByTimeAsync(500)
    await end(silent())
    await vi.advanceTimersByTimeAsync(999)
    expect(await ask()).toBe(leftAlone)
    expect(query).toHaveBeenCalledTimes(4)
    await vi.advanceTimersByTimeAsync(1)
    await end(silent())
    expect(query).toHaveBeenCalledTimes(5)
    expect(said).toEqual([events.store.away])
  })

  it('keeps the one that is let through no longer than a bound', async () => {
    const { end, ask } = bed()
    await end(silent(), 3)
    await vi.advanceTimersByTimeAsync(500)
    const probe = ask()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await probe).toBe('no answer within 2000 ms')
    expect(await ask()).toBe(leftAlone)
  })

  it('is used as soon as anything is answered, though nobody waits for it any more', async () => {
    const { asked, end, ask, said } = bed()
    const waiting = ask()
    const [hung] = asked.splice(0)
    await end(silent(), 3)
    await waiting
    hung?.answer()
    await vi.advanceTimersByTimeAsync(0)
    expect(said).toEqual([events.store.away, events.store.used])
  })
})

describe('a store that answers', () => {
  it('is not left alone for failures while others are answered', async () => {
    const { asked, end, ask, said } = bed()
    for (let round = 0; round < 3; round++) {
      await end(silent(), 2)
      const fine = ask()
      asked.shift()?.answer()
      await fine
      await vi.advanceTimersByTimeAsync(999)
      await end(silent(), 3)
      await vi.advanceTimersByTimeAsync(1)
    }
    expect(said).toEqual([])
  })

  it('is not left alone for failures of what was asked before it last answered', async () => {
    const { asked, ask, said } = bed()
    const late = [ask(), ask(), ask()]
    const hung = asked.splice(0)
    await vi.advanceTimersByTimeAsync(1)
    const fine = ask()
    asked.shift()?.answer()
    await fine
    await vi.advanceTimersByTimeAsync(10_000)
    for (const { fail } of hung) fail(silent())
    await Promise.all(late)
    expect(said).toEqual([])
  })

  it('is not left alone for what it refuses in words of its own', async () => {
    const { end, said } = bed()
    expect(saidNo()).toBeInstanceOf(StoreUnavailable)
    await end(saidNo(), 10)
    await end(new Error('query: no such column'), 10)
    expect(said).toEqual([])
  })

  it('is used again after words of its own, whatever they are', async () => {
    const { end, said } = bed()
    await end(silent(), 3)
    await vi.advanceTimersByTimeAsync(500)
    await end(saidNo())
    expect(said).toEqual([events.store.away, events.store.used])
  })
})
