import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clickhouseStore } from '../../libs/adapters/clickhouse/clickhouse-store.ts'
import { type QueryCost, type Store, StoreUnavailable } from '../../libs/ports/store.ts'
import { RowSink, RowSource } from '../../libs/tables/declare/row-binary.ts'
import { dropTestDatabase, type TestStore, testStore } from '../support/engine.ts'
import { until } from '../support/until.ts'
import {
  createEveryType,
  type EveryType,
  emptyRow,
  encoded,
  everyType,
  everyTypeColumns,
  fullRow,
  selectEveryType,
} from './every-type.ts'

let opened: TestStore
let store: Store

beforeAll(async () => {
  opened = await testStore()
  store = opened.store
  await store.execute(createEveryType)
  await store.execute(
    'CREATE TABLE numbers_kept (number UInt64) ENGINE = MergeTree ORDER BY number',
  )
})

afterAll(() => opened.drop())

const rowsOf = (bytes: Buffer): EveryType[] => {
  const source = new RowSource(bytes)
  const rows: EveryType[] = []
  while (!source.done) rows.push(everyType.decode(source))
  return rows
}

const numbers = (from: number, count: number): Buffer => {
  const sink = new RowSink()
  for (let number = from; number < from + count; number++) sink.uint64(number)
  return Buffer.from(sink.bytes())
}

const counted = async (sql: string) => new RowSource(await store.query(sql, {})).uint64()

describe('rows', () => {
  it('come back as they were written, at both ends of every type', async () => {
    const rows = [emptyRow(1), fullRow(2)]
    await store.insert(everyType.stored, everyTypeColumns, encoded(rows))
    expect(rowsOf(await store.query(`${selectEveryType} ORDER BY number`, {}))).toEqual(rows)
  })

  it('lie greatest first where the key is declared so', async () => {
    const amounts = [3n, 1n, 1n << 255n, 2n]
    const rows = amounts.map((amount) => ({ ...emptyRow(3), amount }))
    await store.insert(everyType.stored, everyTypeColumns, encoded(rows))
    const sql = `${selectEveryType} WHERE number = 3 ORDER BY number, amount DESC LIMIT 2`
    const found = rowsOf(await store.query(sql, {}))
    expect(found.map(({ amount }) => amount)).toEqual([1n << 255n, 3n])
  })

  it('of one insert are one part, up to the bounds of a flush', async () => {
    await store.insert('numbers_kept', ['number'], numbers(0, 500_000))
    const parts = `SELECT count() FROM system.parts
      WHERE database = currentDatabase() AND table = 'numbers_kept' AND active`
    expect(await counted(parts)).toBe(1)
    expect(await counted('SELECT count() FROM numbers_kept')).toBe(500_000)
  })

  it('of an insert that ends in the middle of a row are not there at all', async () => {
    const before = await counted('SELECT count() FROM numbers_kept')
    const cut = numbers(1_000_000, 1_000).subarray(0, 7_999)
    await expect(store.insert('numbers_kept', ['number'], cut)).rejects.toThrow(
      'insert into numbers_kept',
    )
    expect(await counted('SELECT count() FROM numbers_kept')).toBe(before)
  })

  it('keep the tombstone of a key through a merge', async () => {
    const [alive, gone] = [
      emptyRow(4),
      { ...emptyRow(4), position: fullRow(4).position, isDeleted: 1 },
    ]
    await store.insert(everyType.stored, everyTypeColumns, encoded([alive]))
    await store.insert(everyType.stored, everyTypeColumns, encoded([gone]))
    await store.execute(`OPTIMIZE TABLE ${everyType.stored} FINAL`)
    expect(rowsOf(await store.query(`${selectEveryType} WHERE number = 4`, {}))).toEqual([gone])
  })
})

describe('a question', () => {
  it.each([
    ['in the query string', []],
    ['in a multipart body', Array.from({ length: 1_000 }, () => 'x'.repeat(60))],
  ])('binds its parameters %s, whatever stands in them', async (_, others) => {
    const word = `'; DROP TABLE every_type; -- \\' \t \r\n--foldscan-\r\n\r\n ъ`
    const list = [word, '']
    const answer = await store.query(
      `SELECT {word:String}, {whole:UInt64}, {amount:UInt256}, {list:Array(String)}
       WHERE length({others:Array(String)}) >= 0`,
      { word, whole: Number.MAX_SAFE_INTEGER, amount: (1n << 256n) - 1n, list, others },
    )
    const source = new RowSource(answer)
    expect([source.text(), source.uint64(), source.uint256()]).toEqual([
      word,
      Number.MAX_SAFE_INTEGER,
      (1n << 256n) - 1n,
    ])
    expect([source.varint(), source.text(), source.text()]).toEqual([2, word, ''])
  })

  it('takes a thousand hashes at once', async () => {
    const list = Array.from({ length: 1_000 }, (_, index) => index.toString(16).padStart(64, '0'))
    const answer = await store.query('SELECT toUInt64(length({list:Array(String)}))', { list })
    expect(new RowSource(answer).uint64()).toBe(1_000)
  })

  it('that fails in the middle of its answer is an error, not a short answer', async () => {
    const sql = 'SELECT number, intDiv(1, number - 4000000) FROM numbers(5000000)'
    await expect(store.query(sql, {})).rejects.toThrow('ILLEGAL_DIVISION')
  })

  it('cannot write', async () => {
    await expect(store.query(`TRUNCATE TABLE ${everyType.stored}`, {})).rejects.toThrow('READONLY')
  })

  it('reports what it read', async () => {
    const costs: number[] = []
    const onCost = (cost: QueryCost) => costs.push(cost.rowsRead)
    await store.query('SELECT number FROM numbers(1000)', {}, { onCost })
    expect(costs).toEqual([1_000])
  })

  it('that takes too long is unavailable, and leaves the store usable', async () => {
    const hasty = clickhouseStore({
      ...opened.address,
      database: opened.database,
      queryTimeoutMs: 200,
    })
    const endless = 'SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 1'
    await expect(hasty.query(endless, {})).rejects.toBeInstanceOf(StoreUnavailable)
    expect((await hasty.query('SELECT toUInt8(7)', {}))[0]).toBe(7)
    await hasty.close()
  })

  it('that is given up ends in the server too', async () => {
    const endless = 'SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 2'
    const running = async () => {
      const count = 'SELECT toUInt8(countIf(query = {query:String})) FROM system.processes'
      return (await store.query(count, { query: `${endless}\nFORMAT RowBinary` }))[0]
    }
    const ending = new AbortController()
    const given = store.query(endless, {}, { signal: ending.signal })
    await until('it runs', async () => (await running()) === 1)
    ending.abort(new Error('nobody waits'))
    await expect(given).rejects.toThrow('nobody waits')
    await until('it has ended', async () => (await running()) === 0)
  })

  it('that needs too much memory is unavailable', async () => {
    const poor = clickhouseStore({
      ...opened.address,
      database: opened.database,
      queryMemoryMaxBytes: 10_000_000,
    })
    const greedy = 'SELECT groupArray(number) FROM numbers(100000000)'
    await expect(poor.query(greedy, {})).rejects.toBeInstanceOf(StoreUnavailable)
    await poor.close()
  })

  it('is asked by sixteen at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, client) =>
        store.query('SELECT {client:UInt8} FROM numbers(1000)', { client }),
      ),
    )
    expect(answers.map((answer) => [answer.length, answer[999]])).toEqual(
      Array.from({ length: 16 }, (_, client) => [1_000, client]),
    )
  })

  it('beyond those that may wait is refused at once', async () => {
    const narrow = clickhouseStore({
      ...opened.address,
      database: opened.database,
      maxConnections: 1,
      waitingMax: 2,
    })
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => narrow.query('SELECT sleep(0.05)', {})),
    )
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(2)
    await narrow.close()
  })
})

describe('what is no test database', () => {
  it('is not dropped by tests', async () => {
    await expect(dropTestDatabase(opened.address, 'foldscan')).rejects.toThrow(
      'not a test database',
    )
  })
})
