import { describe, expect, test } from 'vitest'
import type { Store } from '../ports/store.ts'
import { clusterShape, refuseShards, stopsWithOneServer } from './cluster-shape.ts'
import { RowSink } from './declare/row-binary.ts'

/** A server with these clusters, as `[shards, servers]`. */
const serverWith = (clusters: Readonly<Record<string, readonly [number, number]>>) => {
  const asked: unknown[] = []
  const store: Pick<Store, 'query'> = {
    async query(sql, parameters) {
      asked.push(parameters)
      expect(sql).toContain('{cluster:String}')
      const sink = new RowSink()
      const [shards, servers] = clusters[String(parameters.cluster)] ?? [0, 0]
      sink.uint64(shards)
      sink.uint64(servers)
      return Buffer.from(sink.bytes())
    },
  }
  return { store, asked }
}

describe('a cluster', () => {
  const { store, asked } = serverWith({ main: [1, 3], pair: [1, 2], split: [2, 4] })

  test('of one shard is used', async () => {
    const shape = await clusterShape(store, 'main')
    expect(shape).toEqual({ shards: 1, servers: 3 })
    expect(() => refuseShards('main', shape)).not.toThrow()
    expect(stopsWithOneServer(shape)).toBe(false)
    expect(asked).toEqual([{ cluster: 'main' }])
  })

  test('with shards is refused in one sentence', async () => {
    const shape = await clusterShape(store, 'split')
    expect(() => refuseShards('split', shape)).toThrow(
      /^the ClickHouse cluster 'split' has 2 shards, and Foldscan's tables are not sharded: /,
    )
  })

  test('that the server does not know is refused by its name', async () => {
    const shape = await clusterShape(store, 'mian')
    expect(() => refuseShards('mian', shape)).toThrow(/knows no cluster 'mian'/)
  })

  test('of two servers stops with one of them', async () =>
    expect(stopsWithOneServer(await clusterShape(store, 'pair'))).toBe(true))
})
