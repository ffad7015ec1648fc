import { setImmediate } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import {
  ResultTooLarge,
  RowBoundRefused,
  type Store,
  StoreFailed,
  StoreUnavailable,
  TooManyRows,
} from '../../ports/store.ts'
import { type BatchReader, batch } from './batch.ts'
import { ReadLimitExceeded } from './read-limits.ts'

/** Until each turn of the event loop has ended that the one before it has caused. */
async function turnOfLoop() {
  for (let turn = 0; turn < 3; turn++) await setImmediate()
}

const unused = () => Promise.reject(new Error('not used here'))
const store: Store = { query: unused, insert: unused, execute: unused, ping: unused, close: unused }

/** A key of too many rows to share a query. */
const manyRows = '!'

interface SharedQuery {
  keys: readonly string[]
  readonly signal: AbortSignal
  readonly end: () => void
}

/** A question for letters; each query ends when the test says so. */
function letters(answer: (keys: readonly string[]) => readonly string[] = (keys) => keys) {
  const queries: SharedQuery[] = []
  const reader: BatchReader = {
    read: (work, { signal }) =>
      new Promise((resolve, reject) => {
        const end = () => {
          work(store, {}).then((result) => resolve({ result, isBehind: false }), reject)
        }
        queries.push({ keys: [], signal, end })
      }),
  }
  const question = batch({
    keysOf: (keys: readonly string[]) => keys,
    idOf: (key: string) => key,
    keysMax: 4,
    async read(_, keys) {
      const query = queries.find((one) => one.keys.length === 0)
      if (query !== undefined) query.keys = keys
      return new Map(answer(keys).map((key) => [key, key === manyRows ? null : key.toUpperCase()]))
    },
    resultOf: (found, keys) =>
      keys.includes(manyRows) ? null : keys.map((key) => found.get(key) ?? '-').join(''),
  })
  const load = async (keys: string, signal?: AbortSignal) => {
    const loaded = await question.run(reader, [...keys], signal)
    return loaded === null ? 'alone' : loaded.result
  }
  let ended = 0
  /** Ends queries in their order until none is left. */
  const endAll = async () => {
    await turnOfLoop()
    for (; ended < queries.length; ended++) {
      queries[ended]?.end()
      await turnOfLoop()
    }
    return queries.map(({ keys }) => keys.join(''))
  }
  return { load, queries, endAll }
}

test('reads of one turn of the event loop share a query, further ones the next', async () => {
  const { load, queries, endAll } = letters()
  const loads = [load('a'), load('b')]
  expect(queries).toHaveLength(0)
  await turnOfLoop()
  expect(queries).toHaveLength(1)
  loads.push(load('c'), load('db'))
  expect(await endAll()).toEqual(['ab', 'cdb'])
  expect(await Promise.all(loads)).toEqual(['A', 'B', 'C', 'DB'])
})

test('reads that follow from one query share the next one', async () => {
  const { load, endAll } = letters()
  const [first, second] = ['a', 'b'].map((key) => load(key))
  const following = Promise.all([first?.then(() => load('c')), second?.then(() => load('d'))])
  expect(await endAll()).toEqual(['ab', 'cd'])
  expect(await following).toEqual(['C', 'D'])
})

test('the next query begins before the reads of a result continue', async () => {
  const { load, queries, endAll } = letters()
  const begun = load('a').then((result) => [result, queries.length])
  await turnOfLoop()
  const next = load('b')
  expect(await endAll()).toEqual(['a', 'b'])
  expect(await begun).toEqual(['A', 2])
  expect(await next).toBe('B')
})

test('a slow query does not hold up the next one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { load, queries, endAll } = letters()
  const loads = [load('a')]
  await turnOfLoop()
  loads.push(load('b'))
  vi.advanceTimersByTime(249)
  await turnOfLoop()
  expect(queries).toHaveLength(1)
  vi.advanceTimersByTime(1)
  expect(queries).toHaveLength(2)
  loads.push(load('c'))
  expect(await endAll()).toEqual(['a', 'b', 'c'])
  expect(await Promise.all(loads)).toEqual(['A', 'B', 'C'])
  vi.useRealTimers()
})

test('a query has no more keys than its bound', async () => {
  const { load, endAll } = letters()
  const loads = ['ab', 'c', 'de', 'ef', 'gh', 'ijklm'].map((keys) => load(keys))
  expect(await endAll()).toEqual(['abc', 'def', 'gh'])
  expect(await Promise.all(loads)).toEqual(['AB', 'C', 'DE', 'EF', 'GH', 'alone'])
})

/** One key makes a query fail: whoever asks for it reads alone. */
function failing(error: Error) {
  return letters((keys) => {
    if (keys.includes('x')) throw error
    return keys
  })
}

test.each([
  [new ResultTooLarge('bytes'), 'alone'],
  [new TooManyRows('rows'), 'alone'],
  [new ReadLimitExceeded('rows of one key', 9), 'alone'],
  [new RangeError('a row that cannot be decoded'), 'alone'],
  [new StoreFailed('of one row'), 'shared'],
])(
  'a key that makes a query fail by "%s" is read alone, the others in halves',
  async (...given) => {
    const [error, later] = given
    const { load, endAll } = failing(error)
    const loads = ['b', 'c', 'x', 'd', 'e'].map((keys) => load(keys))
    expect(await endAll()).toEqual(['bcxd', 'bc', 'xd', 'x', 'd', 'e'])
    expect(await Promise.all(loads)).toEqual(['B', 'C', 'alone', 'D', 'E'])
    const again = load('x')
    expect(await endAll()).toHaveLength(later === 'alone' ? 6 : 7)
    expect(await again).toBe('alone')
  },
)

test('keys of one read that are too large together still share queries with others', async () => {
  const { load, endAll } = letters((keys) => {
    if (keys.includes('a') && keys.includes('x')) throw new ResultTooLarge('bytes')
    return keys
  })
  const loads = [load('ax'), load('b')]
  expect(await endAll()).toEqual(['axb', 'ax', 'b'])
  expect(await Promise.all(loads)).toEqual(['alone', 'B'])
  // The read is remembered, its keys are not.
  const later = [load('ax'), load('a'), load('b')]
  expect((await endAll()).slice(3)).toEqual(['ab'])
  expect(await Promise.all(later)).toEqual(['alone', 'A', 'B'])
})

test('keys of which no query has room for all are read in halves of halves, each time', async () => {
  const { load, endAll } = letters((keys) => {
    if (keys.length > 1) throw new TooManyRows('a granule of each part for each key')
    return keys
  })
  const loads = [...'abcd'].map((keys) => load(keys))
  expect(await endAll()).toEqual(['abcd', 'ab', 'cd', 'a', 'b', 'c', 'd'])
  loads.push(...[...'efgh'].map((keys) => load(keys)))
  expect((await endAll()).slice(7)).toEqual(['efgh', 'ef', 'gh', 'e', 'f', 'g', 'h'])
  expect(await Promise.all(loads)).toEqual([...'ABCDEFGH'])
})

test('two keys with many rows do not make queries smaller that have more room', async () => {
  const { load, endAll } = letters((keys) => {
    if (keys.includes('p') && keys.includes('q')) throw new TooManyRows('rows')
    return keys
  })
  const loads = [...'pq'].map((keys) => load(keys))
  expect(await endAll()).toEqual(['pq', 'p', 'q'])
  loads.push(...[...'abcd'].map((keys) => load(keys)))
  expect((await endAll()).slice(3)).toEqual(['abcd'])
  expect(await Promise.all(loads)).toEqual([...'PQABCD'])
})

test('a key with too many rows of its own does not make queries smaller', async () => {
  const { load, endAll } = failing(new TooManyRows('rows'))
  const loads = [...'abxc'].map((keys) => load(keys))
  expect(await endAll()).toEqual(['abxc', 'ab', 'xc', 'x', 'c'])
  loads.push(...[...'defg'].map((keys) => load(keys)))
  expect((await endAll()).slice(5)).toEqual(['defg'])
  expect(await Promise.all(loads)).toEqual(['A', 'B', 'alone', 'C', 'D', 'E', 'F', 'G'])
})

test('where rows cannot be bounded each key is read alone, and is not remembered', async () => {
  const { load, endAll } = letters(() => {
    throw new RowBoundRefused('fixed')
  })
  const loads = ['a', 'b', 'c', 'd'].map((keys) => load(keys))
  expect(await endAll()).toEqual(['abcd'])
  expect(await Promise.all(loads)).toEqual(['alone', 'alone', 'alone', 'alone'])
  const again = load('a')
  expect(await endAll()).toHaveLength(2)
  expect(await again).toBe('alone')
})

test('a key of too many rows is remembered for an hour', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  // The cache takes a time of 0 for none.
  vi.advanceTimersByTime(1)
  const { load, endAll } = letters()
  const loads = [load('a'), load(manyRows)]
  expect(await endAll()).toEqual([`a${manyRows}`])
  expect(await Promise.all(loads)).toEqual(['A', 'alone'])
  vi.advanceTimersByTime(3_599_000)
  expect(await load(manyRows)).toBe('alone')
  expect(await endAll()).toHaveLength(1)
  vi.advanceTimersByTime(2_000)
  const later = load(manyRows)
  expect(await endAll()).toHaveLength(2)
  expect(await later).toBe('alone')
  vi.useRealTimers()
})

test('an unavailable server fails all reads of a query', async () => {
  const { load, endAll } = letters(() => {
    throw new StoreUnavailable('no answer')
  })
  const loads = Promise.allSettled(['a', 'b', 'c', 'd'].map((keys) => load(keys)))
  expect(await endAll()).toEqual(['abcd'])
  for (const loaded of await loads) expect(loaded).toMatchObject({ status: 'rejected' })
})

test('a read that is cancelled ends at once; its query only once nobody waits for it', async () => {
  const { load, queries, endAll } = letters()
  const [first, second] = [new AbortController(), new AbortController()]
  const cancelled = [load('c', first.signal), load('d', second.signal)]
  await turnOfLoop()
  expect(queries).toHaveLength(1)
  first.abort(new Error('gone'))
  await expect(cancelled[0]).rejects.toThrow('gone')
  expect(queries[0]?.signal.aborted).toBe(false)
  second.abort(new Error('gone too'))
  await expect(cancelled[1]).rejects.toThrow('gone too')
  expect(queries[0]?.signal.aborted).toBe(true)
  await endAll()
})

test('a key whose query was cancelled shares the next one', async () => {
  const { load, queries, endAll } = letters((keys) => {
    if (queries[0]?.signal.aborted === true && queries.length === 1) throw new Error('cancelled')
    return keys
  })
  const controller = new AbortController()
  const cancelled = load('a', controller.signal)
  await turnOfLoop()
  controller.abort(new Error('gone'))
  await expect(cancelled).rejects.toThrow('gone')
  await endAll()
  const again = load('a')
  await turnOfLoop()
  queries.at(-1)?.end()
  expect(await again).toBe('A')
})

test('a queued read that is cancelled is not part of the next query', async () => {
  const { load, endAll } = letters()
  const controller = new AbortController()
  const loads = [load('a')]
  await turnOfLoop()
  loads.push(load('b'), load('d'))
  const cancelled = load('c', controller.signal)
  controller.abort(new Error('gone'))
  await expect(cancelled).rejects.toThrow('gone')
  expect(await endAll()).toEqual(['a', 'bd'])
  expect(await Promise.all(loads)).toEqual(['A', 'B', 'D'])
})
