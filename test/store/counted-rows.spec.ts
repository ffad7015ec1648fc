import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../libs/ports/store.ts'
import { readRows } from '../../libs/tables/declare/read-rows.ts'
import { type TestStore, testStore } from '../support/engine.ts'

// The counts of the real engine, which each response is compared with.

let opened: TestStore
let store: Store

beforeAll(async () => {
  opened = await testStore()
  store = opened.store
})
afterAll(() => opened.drop())

const rows = (...values: number[]) => ({ bytes: Buffer.from(values), count: values.length })

describe('an insert is acknowledged', () => {
  it.each([
    ['of no rows', 'MergeTree ORDER BY n', rows()],
    ['of rows that replace each other', 'ReplacingMergeTree ORDER BY n', rows(1, 1, 1)],
    ['into parts of several partitions', 'MergeTree PARTITION BY n ORDER BY n', rows(1, 2, 3)],
  ])('%s', async (name, engine, inserted) => {
    const table = `t_${name.replaceAll(' ', '_')}`
    await store.execute(`CREATE TABLE ${table} (n UInt8) ENGINE = ${engine}`)
    await store.insert(table, ['n'], inserted)
  })

  it('that equals the one before, where the server drops it', async () => {
    const window = 'SETTINGS non_replicated_deduplication_window = 10'
    await store.execute(`CREATE TABLE same (n UInt8) ENGINE = MergeTree ORDER BY n ${window}`)
    for (let time = 1; time <= 2; time++) await store.insert('same', ['n'], rows(7, 8))
  })

  it('of a table with a materialized view', async () => {
    await store.execute('CREATE TABLE viewed (n UInt8) ENGINE = MergeTree ORDER BY n')
    await store.execute(`CREATE MATERIALIZED VIEW of_viewed ENGINE = MergeTree ORDER BY n
      AS SELECT n FROM viewed WHERE n > 100`)
    await store.insert('viewed', ['n'], rows(1, 2))
    await store.insert('viewed', ['n'], rows(200))
  })

  it('of more rows than a block of a server has by default', async () => {
    await store.execute('CREATE TABLE great (n UInt8) ENGINE = MergeTree ORDER BY n')
    const count = 1_000_000
    await store.insert('great', ['n'], { bytes: Buffer.alloc(count), count })
  })
})

describe('a result has as many rows as are counted', () => {
  const numbers = 'SELECT toUInt8(number % 250) AS n FROM numbers(1000)'
  it.each([
    ['of none', `${numbers} WHERE n > 250`],
    ['of many blocks', `${numbers} SETTINGS max_block_size = 7`],
    ['with a limit', `${numbers} LIMIT 17`],
    [
      'with a limit of each key and an offset',
      `${numbers} ORDER BY n LIMIT 2 BY n LIMIT 9 OFFSET 5`,
    ],
    ['with a limit and ties', `${numbers} ORDER BY n LIMIT 3 WITH TIES`],
    ['with totals', `SELECT n FROM (${numbers}) GROUP BY n WITH TOTALS`],
    ['with extremes', `${numbers} SETTINGS extremes = 1`],
    ['of a union', `${numbers} UNION ALL ${numbers} LIMIT 2`],
    ['of distinct rows', `SELECT DISTINCT n FROM (${numbers})`],
    ['of an aggregate', `SELECT toUInt8(count() > 0) FROM (${numbers})`],
    ['of a system table', 'SELECT toUInt8(1) FROM system.settings'],
    ['of a result that is cached', `${numbers} SETTINGS use_query_cache = 1`],
    ['of that result again', `${numbers} SETTINGS use_query_cache = 1`],
  ])('%s', async (_, sql) => {
    await readRows(store, { sql }, (source) => source.uint8())
  })

  it('with parameters in a multipart body', async () => {
    const keys = Array.from({ length: 1_000 }, () => 'x'.repeat(60))
    const sql = 'SELECT toUInt8(1) FROM (SELECT arrayJoin({keys:Array(String)}))'
    const found = await readRows(store, { sql, parameters: { keys } }, (source) => source.uint8())
    expect(found).toHaveLength(1_000)
  })
})
