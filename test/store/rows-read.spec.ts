import { afterAll, beforeAll, expect, test } from 'vitest'
import { ResultTooLarge, type Store, TooManyRows } from '../../libs/ports/store.ts'
import { testStore } from '../support/engine.ts'

let store: Store
let drop: () => Promise<void>
beforeAll(async () => {
  const opened = await testStore()
  store = opened.store
  drop = opened.drop
  await store.execute(`INSERT INTO signatures (selector, since, form, signature, position, isDeleted)
    SELECT toString(number), 0, 'f', 's', 1, 0 FROM numbers(50000)`)
})
afterAll(() => drop())

const query = 'SELECT max(since) FROM signatures WHERE selector >= {from:String}'

test('a query that would read more rows than it may is rejected, and reads none', async () => {
  const read = (rowsReadMax: number) => store.query(query, { from: '' }, { rowsReadMax })
  await expect(read(10_000)).rejects.toThrow(TooManyRows)
  await expect(read(50_000)).resolves.toBeInstanceOf(Buffer)
})

test('a bound counts what the key selects, not the table', async () => {
  const options = { rowsReadMax: 20_000 }
  await expect(store.query(query, { from: '99' }, options)).resolves.toBeInstanceOf(Buffer)
})

test('a query with more bytes to sort than its statement allows is rejected as too large', async () => {
  const sorted = (bytes: number) =>
    store.query(
      `SELECT signature FROM signatures ORDER BY signature, since DESC LIMIT 1 BY selector
SETTINGS max_bytes_to_sort = ${bytes}`,
      {},
    )
  await expect(sorted(10_000)).rejects.toThrow(ResultTooLarge)
  await expect(sorted(10_000_000)).resolves.toBeInstanceOf(Buffer)
})
