import { ClickHouseError } from '@clickhouse/client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type QueryOptions,
  type Store,
  StoreOverloaded,
  StoreUnavailable,
} from '../../ports/store.ts'
import { events } from '../../signals/events.ts'
import { type LogFields, silentLog } from '../../signals/log.ts'
import { startMetrics } from '../../signals/metrics.ts'
import { Availability, type AvailabilityLimits } from './availability.ts'
import { storeError } from './store-error.ts'
import { withAvailability, withCircuitBreaker } from './with-circuit-breaker.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const limits: AvailabilityLimits = {
  tickMs: 100,
  pingAfterMs: 200,
  idlePingMs: 2_000,
  silenceMsMax: 1_400,
  failuresMax: 3,
  failureWindowMs: 10_000,
  pauseMsMin: 500,
  pauseMsMax: 1_000,
}

const url = 'http://127.0.0.1:8123'
const askedOf = { server: `ClickHouse at ${url}`, asked: 'query', timeoutMs: 12_000 }
const refused = () => storeError(new Error('connect ECONNREFUSED 127.0.0.1:8123'), askedOf)
const outOfMemory = () =>
  storeError(new ClickHouseError({ message: 'memory', code: '241', type: 'MEMORY' }), askedOf)

/** A call that the test ends. */
interface Pending {
  answer(): void
  fail(error: Error): void
}

/** A store whose queries and pings the test answers, in the order in which they came. */
function bed() {
  const queries: Pending[] = []
  const pings: Pending[] = []
  const held = (list: Pending[], signal: AbortSignal | undefined) =>
    new Promise<Buffer>((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason))
      list.push({ answer: () => resolve(Buffer.from('rows')), fail: reject })
    })
  const query = vi.fn((_sql: string, _parameters: object, options?: QueryOptions) =>
    held(queries, options?.signal),
  )
  const ping = vi.fn(async (signal?: AbortSignal) => void (await held(pings, signal)))
  const insert = vi.fn(async () => {})
  const inner: Store = { query, insert, execute: async () => {}, ping, close: async () => {} }
  const said: LogFields['event'][] = []
  const write = ({ event }: LogFields) => void said.push(event)
  const metrics = startMetrics()
  const log = { ...silentLog, info: write, warn: write }
  const availability = new Availability({ store: inner, url, log, metrics, limits })
  const store = withCircuitBreaker(inner, availability)
  const isAway = async () => (await metrics.clickhouseUnavailable.get()).values[0]?.value
  /** Sends a query, and returns its outcome. */
  const ask = (signal?: AbortSignal) =>
    store.query('SELECT 1', {}, { signal }).then(
      () => 'rows',
      (error: Error) => error.message,
    )
  /** Queries that are sent and end so; the sentence of the last. */
  const end = async (error: () => Error, times = 1) => {
    let outcome = ''
    for (let time = 0; time < times; time++) {
      const ending = ask()
      queries.shift()?.fail(error())
      outcome = await ending
    }
    return outcome
  }
  const forward = (ms: number) => vi.advanceTimersByTimeAsync(ms)
  return {
    queries,
    pings,
    query,
    ping,
    insert,
    inner,
    availability,
    store,
    said,
    isAway,
    ask,
    end,
    forward,
  }
}

const nothingListens =
  'ClickHouse at http://127.0.0.1:8123 cannot be reached: nothing listens there ' +
  '(query: connect ECONNREFUSED 127.0.0.1:8123)'
const silent = 'ClickHouse at http://127.0.0.1:8123 did not answer within 1400 ms (ping)'
const rejected = (reason: string) => `${reason}; no query is sent before it answers a ping`
const { unavailable: away, available: used } = events.clickhouse

describe('ClickHouse that does not answer', () => {
  it('is pinged, and every query is rejected once the ping has no answer either', async () => {
    const { ask, forward, query, ping, said, isAway } = bed()
    const [first, second] = [ask(), ask()]
    await forward(200)
    expect(ping).toHaveBeenCalledTimes(1)
    await forward(1_300)
    expect(said).toEqual([])
    await forward(100)
    expect(await Promise.all([first, second])).toEqual([rejected(silent), rejected(silent)])
    expect(await ask()).toBe(rejected(silent))
    expect(query).toHaveBeenCalledTimes(2)
    expect([said, await isAway()]).toEqual([[away], 1])
  })

  it('is unavailable after so many failures in a row, with the message of the last', async () => {
    const { end, ask, said } = bed()
    expect(await end(refused, 3)).toBe(nothingListens)
    expect(await ask()).toBe(rejected(nothingListens))
    expect(said).toEqual([away])
  })

  it('is pinged after one failure, and pings count as queries do', async () => {
    const { end, ask, forward, pings } = bed()
    await end(refused)
    for (let failed = 0; failed < 2; failed++) {
      await forward(100)
      pings.shift()?.fail(refused())
    }
    await forward(0)
    expect(await ask()).toBe(rejected(nothingListens))
  })

  it('is noticed though nobody asks for anything', async () => {
    const { forward, said } = bed()
    await forward(2_000 + 1_400)
    expect(said).toEqual([away])
  })

  it('is sent inserts all the same', async () => {
    const { end, store, insert } = bed()
    await end(refused, 3)
    await store.insert('blocks', ['number'], Buffer.alloc(1))
    expect(insert).toHaveBeenCalledTimes(1)
  })

  it('is pinged after growing pauses, and logged as unavailable once', async () => {
    const { end, forward, ping, pings, said } = bed()
    await end(refused, 3)
    await forward(400)
    expect(ping).not.toHaveBeenCalled()
    await forward(100)
    expect(ping).toHaveBeenCalledTimes(1)
    pings.shift()?.fail(refused())
    await forward(900)
    expect(ping).toHaveBeenCalledTimes(1)
    await forward(100)
    expect(ping).toHaveBeenCalledTimes(2)
    expect(said).toEqual([away])
  })

  it.each([
    ['answers a ping', (ping?: Pending) => ping?.answer()],
    ['answers it with an error', (ping?: Pending) => ping?.fail(outOfMemory())],
  ])('is used again as soon as it %s', async (_, end) => {
    const api = bed()
    await api.end(refused, 3)
    await api.forward(500)
    end(api.pings.shift())
    await api.forward(0)
    expect([api.said, await api.isAway()]).toEqual([[away, used], 0])
    const next = api.ask()
    api.queries.shift()?.answer()
    expect(await next).toBe('rows')
  })

  it('reports a rejected ping as an error until a ping succeeds', async () => {
    const { availability, forward, pings } = bed()
    await forward(2_000)
    pings.shift()?.fail(outOfMemory())
    await forward(0)
    expect([availability.unavailable, availability.error?.message]).toEqual([
      null,
      outOfMemory().message,
    ])
    await forward(2_000)
    pings.shift()?.answer()
    await forward(0)
    expect(availability.error).toBeNull()
  })
})

describe('ClickHouse that answers', () => {
  it('is not away for a query that takes long, where it answers pings', async () => {
    const { ask, queries, forward, pings, said } = bed()
    const slow = ask()
    for (let second = 0; second < 10; second++) {
      await forward(1_000)
      pings.shift()?.answer()
    }
    queries.shift()?.answer()
    expect([await slow, said]).toEqual(['rows', []])
  })

  it('is not away for a ping without an answer, where a query has one meanwhile', async () => {
    const { ask, queries, forward, said } = bed()
    const slow = ask()
    await forward(200)
    const quick = ask()
    queries.pop()?.answer()
    await quick
    await forward(1_400)
    queries.shift()?.answer()
    expect([await slow, said]).toEqual(['rows', []])
  })

  it('is not away for failures of what was sent before it last answered', async () => {
    const { queries, ask, said } = bed()
    const late = [ask(), ask(), ask()]
    const hung = queries.splice(0)
    const fine = ask()
    queries.shift()?.answer()
    await fine
    for (const { fail } of hung) fail(refused())
    await Promise.all(late)
    expect(said).toEqual([])
  })

  it('is not away for failures with answers between them', async () => {
    const { ask, queries, end, said } = bed()
    for (let round = 0; round < 3; round++) {
      await end(refused, 2)
      const fine = ask()
      queries.shift()?.answer()
      await fine
    }
    expect(said).toEqual([])
  })

  it('is not away for what our own queue refuses, however often', async () => {
    const { end, said, ping, forward } = bed()
    await end(() => new StoreOverloaded('4096 wait for their turn already'), 100)
    await forward(100)
    expect([said, ping.mock.calls.length]).toEqual([[], 0])
  })

  it('is not away for what it answers, be it an error', async () => {
    const { end, said } = bed()
    expect(outOfMemory()).toBeInstanceOf(StoreUnavailable)
    await end(outOfMemory, 10)
    await end(() => storeError(new ClickHouseError({ message: 'x', code: '47' }), askedOf), 10)
    expect(said).toEqual([])
  })

  it('is not pinged while it answers queries', async () => {
    const { ask, queries, forward, ping } = bed()
    for (let second = 0; second < 10; second++) {
      const asked = ask()
      queries.shift()?.answer()
      await asked
      await forward(1_000)
    }
    expect(ping).not.toHaveBeenCalled()
  })

  it('is not away for time in which this process itself stood still', async () => {
    const { ask, queries, forward, said } = bed()
    const slow = ask()
    await forward(200)
    // Nothing runs meanwhile: the clock goes on, ticks are lost.
    vi.setSystemTime(Date.now() + 60_000)
    await forward(100)
    queries.shift()?.answer()
    expect([await slow, said]).toEqual(['rows', []])
  })
})

describe('a query', () => {
  it('that is aborted by its signal ends at once, and does not count against the server', async () => {
    const { ask, said, forward } = bed()
    const deadline = new AbortController()
    const asked = [ask(deadline.signal), ask(deadline.signal), ask(deadline.signal)]
    deadline.abort(new StoreUnavailable('too late'))
    expect(await Promise.all(asked)).toEqual(['too late', 'too late', 'too late'])
    await forward(0)
    expect(said).toEqual([])
  })

  it('continues while the server is unavailable if it is only observed', async () => {
    const { inner, availability, end, queries, query } = bed()
    await end(refused, 3)
    const asked = withAvailability(inner, availability).query('SELECT 1', {})
    queries.shift()?.answer()
    expect((await asked).toString()).toBe('rows')
    expect(query).toHaveBeenCalledTimes(4)
    expect(availability.unavailable).toBeNull()
  })
})
