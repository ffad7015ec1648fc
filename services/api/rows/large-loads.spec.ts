import { setImmediate as settled } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ResultTooLarge, type Store } from '../../../libs/ports/store.ts'
import { oneRowStore } from '../testing/one-row-store.ts'
import {
  LargeLoads,
  largeLoadsMax,
  largeLoadsWaitingMax,
  smallResultBytesMax,
} from './large-loads.ts'
import { storeForAnswer } from './run-question.ts'

/** A store whose results have 2 MiB, and which counts how many of them are held at once. */
function largeResults() {
  const bounds: (number | undefined)[] = []
  const store: Store = {
    ...oneRowStore({}).store,
    async query(_sql, _parameters, { bytesMax } = {}) {
      bounds.push(bytesMax)
      if (bytesMax !== undefined && bytesMax < 2 * smallResultBytesMax) throw new ResultTooLarge()
      return Buffer.alloc(0)
    },
  }
  const begin = (loads: LargeLoads, of: Parameters<LargeLoads['begin']>[0] = {}) => {
    const large = loads.begin(of)
    const answer = storeForAnswer(store, { large, isBehind: false }, null)
    const read = () => answer.query('SELECT 1', {}, { bytesMax: 4 * smallResultBytesMax })
    return { large, read }
  }
  return { bounds, begin }
}

/** Large loads that have read; further ones wait. */
async function fullLoads() {
  let running = 0
  const loads = new LargeLoads((count) => {
    running = count
  })
  const results = largeResults()
  const held = Array.from({ length: largeLoadsMax }, () => results.begin(loads))
  for (const { read } of held) await read()
  return { ...results, loads, held, running: () => running }
}

test('a load reads large results once it has a place among the large ones, and small ones at once', async () => {
  const { loads, bounds, begin, held, running } = await fullLoads()
  expect(running()).toBe(largeLoadsMax)
  bounds.length = 0
  const next = begin(loads)
  const context = next.read()
  await settled()
  expect(bounds).toEqual([smallResultBytesMax])
  held[0]?.large.end()
  await context
  expect(bounds).toEqual([smallResultBytesMax, 4 * smallResultBytesMax])
  // Large by now: nothing is asked twice.
  await next.read()
  expect(bounds).toHaveLength(3)
})

test('a load whose time is over leaves no place taken, neither waiting nor later', async () => {
  const { loads, begin, held, running } = await fullLoads()
  const ending = new AbortController()
  const { large, read } = begin(loads, { signal: ending.signal })
  const context = read()
  await settled()
  ending.abort(new Error('too late'))
  await expect(context).rejects.toThrow('too late')
  large.end()
  for (const one of held) one.large.end()
  await settled()
  expect(running()).toBe(0)
})

test('a load is refused where too many wait to be large', async () => {
  const { loads, begin, held } = await fullLoads()
  const waiting = Array.from({ length: largeLoadsWaitingMax }, () => begin(loads))
  const readings = Promise.all(
    waiting.map(async ({ read, large }) => {
      await read()
      large.end()
    }),
  )
  await settled()
  await expect(begin(loads).read()).rejects.toThrow('too many large pages')
  for (const { large } of held) large.end()
  await readings
})

test('a client with many large loads neither delays nor displaces that of another one', async () => {
  const loads = new LargeLoads()
  const { begin } = largeResults()
  const [greedy, polite] = [() => '203.0.113.1', () => '203.0.113.2']
  const of = { client: greedy }
  const held = Array.from({ length: largeLoadsMax }, () => begin(loads, of))
  for (const { read } of held) await read()
  const queued = Array.from({ length: largeLoadsWaitingMax }, () => begin(loads, of))
  const reads = Promise.allSettled(queued.map(({ read }) => read()))
  await settled()
  const own = begin(loads, { client: polite }).read()
  await settled()
  held[0]?.large.end()
  await own
  for (const { large } of [...held, ...queued]) large.end()
  const refused = (await reads).filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(1)
})
