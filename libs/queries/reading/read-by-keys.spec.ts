import { expect, test } from 'vitest'
import { position } from '../../chain/position.ts'
import type { Store } from '../../ports/store.ts'
import type { Row } from '../../tables/declare/table.ts'
import { prices as table } from '../../tables/tables/prices.ts'
import type { Query } from './query.ts'
import { keysPerQueryMax, readByKeys, versionsRowsMax } from './read-by-keys.ts'
import { ReadLimitExceeded } from './read-limits.ts'

type Price = Row<typeof table>

const price = (moment: string, at: number, isDeleted = 0): Price => ({
  moment,
  price: `${at}`,
  position: position(at),
  isDeleted,
})

const store: Store = {
  insert: () => Promise.reject(new Error('not asked for')),
  query: () => Promise.reject(new Error('not asked for')),
  execute: () => Promise.reject(new Error('not asked for')),
  ping: () => Promise.reject(new Error('not asked for')),
  close: () => Promise.resolve(),
}

/** A query over these rows, and the keys of each asking. */
function lookUpIn(rows: readonly Price[]) {
  const options: (readonly string[])[] = []
  const query: Query<Price> = {
    name: 'prices',
    sql: '',
    ofOneKey: null,
    largerBlocks: [],
    table: { name: table.name, columns: new Map(), granularity: 512 },
    key: ['moment'],
    budget: { rowsMax: 0, bytesMax: 0 },
    run: async (_store, parameters) => {
      const moments = String(parameters.moments).split(',')
      options.push(moments)
      return rows.filter(({ moment }) => moments.includes(moment)).slice(0, versionsRowsMax)
    },
  }
  const parametersOf = (moments: readonly string[]) => ({ moments })
  return {
    options,
    find: (keys: readonly string[]) => readByKeys(store, { query, table, parametersOf }, keys),
  }
}

test('the newest version of each key is found, a deleted one is not', async () => {
  const rows = [price('a', 1), price('a', 3), price('a', 2), price('b', 1), price('b', 2, 1)]
  expect(await lookUpIn(rows).find(['a', 'b', 'c'])).toEqual([price('a', 3)])
})

test('no keys are no question', async () => {
  const { options, find } = lookUpIn([])
  expect(await find([])).toEqual([])
  expect(options).toEqual([])
})

test('keys beyond the bound of one query are asked in several', async () => {
  const keys = Array.from({ length: keysPerQueryMax + 1 }, (_, at) => `k${at}`)
  const { options, find } = lookUpIn(keys.map((key) => price(key, 1)))
  expect(await find(keys)).toHaveLength(keysPerQueryMax + 1)
  expect(options.map((some) => some.length)).toEqual([keysPerQueryMax, 1])
})

test('keys with more versions than an answer holds are asked in halves', async () => {
  const many = ['a', 'b', 'c'].flatMap((key) =>
    Array.from({ length: versionsRowsMax / 2 }, (_, at) => price(key, at)),
  )
  const { options, find } = lookUpIn(many)
  const newestByKey = versionsRowsMax / 2 - 1
  expect(await find(['a', 'b', 'c'])).toEqual(['a', 'b', 'c'].map((key) => price(key, newestByKey)))
  expect(options[0]).toEqual(['a', 'b', 'c'])
})

test('one key with more versions than an answer holds is a bound that was reached', async () => {
  const many = Array.from({ length: versionsRowsMax }, (_, at) => price('a', at))
  await expect(lookUpIn(many).find(['a', 'b'])).rejects.toThrow(ReadLimitExceeded)
})
