import { expect, test } from 'vitest'
import { ResultTooLarge, type Store } from '../../../libs/ports/store.ts'
import { keyedQuestion } from '../../../libs/queries/reading/question.ts'
import { addressState } from '../../../libs/tables/tables/addresses.ts'
import { oneRowStore } from '../testing/one-row-store.ts'
import { LargeLoads } from './large-loads.ts'
import { runOnStore } from './run-question.ts'

const mib = 1024 * 1024

/** A store with so many bytes for each key, and what was asked of it. */
function storeOf(bytesOf: (key: string) => number) {
  const asked: string[] = []
  const store: Store = {
    ...oneRowStore({}).store,
    async query(keys, _parameters, { bytesMax = Number.POSITIVE_INFINITY } = {}) {
      const bytes = keys.split(' ').reduce((sum, key) => sum + bytesOf(key), 0)
      asked.push(`${keys}: ${bytes > bytesMax ? 'too long' : 'read'} within ${bytesMax / mib} MiB`)
      if (bytes > bytesMax) throw new ResultTooLarge('too long')
      return Buffer.alloc(bytes)
    },
  }
  return { store, asked }
}

const lengths = keyedQuestion({
  table: addressState,
  subjects: (keys: readonly string[]) => keys,
  idOf: (key: string) => key,
  async read(store, keys) {
    const { length } = await store.query(keys.join(' '), {}, { bytesMax: 256 * mib })
    return new Map(keys.map((key) => [key, length]))
  },
})

test('a read whose own result is large is taken out of a shared query, and gets a slot', async () => {
  const { store, asked } = storeOf((key) => (key === 'long' ? 3 * mib : 1_000))
  const run = runOnStore(store)
  const loads = new LargeLoads()
  const read = async (key: string) => {
    const large = loads.begin({})
    await run(lengths, [key], { large, isBehind: false })
    return large.isLarge
  }
  const all = await Promise.all(['long', 'a'].map(read))
  expect(all).toEqual([true, false])
  expect(asked).toEqual([
    'long a: too long within 2 MiB',
    'long: too long within 1 MiB',
    'a: read within 1 MiB',
    'long: too long within 1 MiB',
    'long: read within 256 MiB',
  ])
})

test('results of a shared query count together', async () => {
  const two = keyedQuestion({
    table: addressState,
    subjects: (keys: readonly string[]) => keys,
    idOf: (key: string) => key,
    async read(of, keys) {
      for (const key of keys) await of.query(key, {}, {})
      return new Map(keys.map((key) => [key, true]))
    },
  })
  const { store, asked } = storeOf(() => 0.75 * mib)
  const run = runOnStore(store)
  await run(two, ['a', 'b'], { large: new LargeLoads().begin({}), isBehind: false })
  expect(asked).toEqual([
    'a: read within 1 MiB',
    'b: too long within 0.25 MiB',
    'a: read within Infinity MiB',
    'b: read within Infinity MiB',
  ])
})
