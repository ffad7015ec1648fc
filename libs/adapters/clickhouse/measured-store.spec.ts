import { expect, test } from 'vitest'
import {
  ResultTooLarge,
  type Store,
  StoreBehind,
  StoreFailed,
  StoreOverloaded,
  StoreUnavailable,
} from '../../ports/store.ts'
import { startMetrics } from '../../signals/metrics.ts'
import { measuredStore } from './measured-store.ts'

const sent = { queries: ['holders-of-token', 'transactions'], tables: ['holders'] }

function measured(outcome: () => Promise<Buffer>) {
  const metrics = startMetrics()
  const store: Store = {
    insert: async () => void (await outcome()),
    query: outcome,
    execute: async () => {},
    ping: async () => {},
    close: async () => {},
  }
  const series = async (start: string) => {
    const lines = (await metrics.registry.metrics()).split('\n')
    return lines.filter((line) => line.startsWith(`foldscan_${start}`))
  }
  return { store: measuredStore(store, metrics, sent), series }
}

const failing = (error: Error) => measured(() => Promise.reject(error))
const name = 'transactions'

test('shows all series before the first statement', async () => {
  const { series } = measured(async () => Buffer.alloc(0))
  expect(await series('query_seconds_count')).toEqual([
    'foldscan_query_seconds_count{query="holders-of-token"} 0',
    'foldscan_query_seconds_count{query="transactions"} 0',
  ])
  expect(await series('query_failures_total{query="transactions"')).toEqual([
    'foldscan_query_failures_total{query="transactions",reason="overloaded"} 0',
    'foldscan_query_failures_total{query="transactions",reason="unavailable"} 0',
    'foldscan_query_failures_total{query="transactions",reason="failed"} 0',
  ])
  expect(await series('insert_failures_total{')).toHaveLength(2)
})

test('counts answered statements by name, and none without a name', async () => {
  const { store, series } = measured(async () => Buffer.from('1'))
  expect(await store.query('SELECT 1', {}, { name })).toEqual(Buffer.from('1'))
  await store.query('SELECT 1', {})
  await store.insert('holders', ['a'], new Uint8Array(1))
  expect(await series('query_seconds_count')).toEqual([
    'foldscan_query_seconds_count{query="holders-of-token"} 0',
    'foldscan_query_seconds_count{query="transactions"} 1',
  ])
  expect(await series('insert_seconds_count')).toEqual([
    'foldscan_insert_seconds_count{table="holders"} 1',
  ])
})

test.each([
  [new StoreOverloaded('x'), 'overloaded'],
  [new StoreUnavailable('x'), 'unavailable'],
  [new StoreFailed('x'), 'failed'],
  [new StoreBehind('x'), null],
  [new ResultTooLarge('x'), null],
])('counts the failure and duration of %s', async (error, expected) => {
  const { store, series } = failing(error)
  await expect(store.query('SELECT 1', {}, { name })).rejects.toBe(error)
  const failures = await series('query_failures_total')
  expect(failures.filter((line) => line.endsWith(' 1'))).toEqual(
    expected === null
      ? []
      : [`foldscan_query_failures_total{query="transactions",reason="${expected}"} 1`],
  )
  expect(await series('query_seconds_count{query="transactions"')).toEqual([
    'foldscan_query_seconds_count{query="transactions"} 1',
  ])
})

test('counts failed inserts by table', async () => {
  const { store, series } = failing(new StoreUnavailable('x'))
  await expect(store.insert('holders', ['a'], new Uint8Array(1))).rejects.toThrow('x')
  expect(await series('insert_failures_total{table="holders",reason="unavailable"')).toEqual([
    'foldscan_insert_failures_total{table="holders",reason="unavailable"} 1',
  ])
})

test('does not measure a query that its client has cancelled', async () => {
  const { store, series } = failing(new Error('gone'))
  const signal = AbortSignal.abort(new Error('gone'))
  await expect(store.query('SELECT 1', {}, { name, signal })).rejects.toThrow('gone')
  expect((await series('query_')).filter((line) => line.endsWith(' 1'))).toEqual([])
})
