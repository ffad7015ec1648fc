import { createServer, request } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { clickhouseStore } from '../../libs/adapters/clickhouse/clickhouse-store.ts'
import { position } from '../../libs/chain/position.ts'
import { type Store, StoreBehind } from '../../libs/ports/store.ts'
import { memoryCache } from '../../libs/ports/testing/memory-cache.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { aHash, anAddress, aToken, aTransfer } from '../../libs/presenters/testing/rows.ts'
import { progressOf } from '../../libs/queries/progress.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { cachedRows } from '../../libs/tables/declare/cached-rows.ts'
import { groupId } from '../../libs/tables/declare/group-versions.ts'
import { replicationOf } from '../../libs/tables/replication-of.ts'
import { progress } from '../../libs/tables/tables/progress.ts'
import { tokenState } from '../../libs/tables/tables/tokens.ts'
import { transfersByToken } from '../../libs/tables/tables/transfers.ts'
import { type Announcement, bucketOf } from '../../libs/topics/changes.ts'
import { type ApiOptions, startApi } from '../../services/api/api.ts'
import { HeadOfGroups } from '../../services/api/clock/follow-changes.ts'
import { rateHoursIn } from '../../services/api/clock/group-progress.ts'
import { type TestStore, testStore } from '../support/engine.ts'
import { insertRows } from '../support/insert-rows.ts'
import { until } from '../support/until.ts'

const token = anAddress(0x70)
const transfers = `/api/v2/tokens/${token}/transfers`
const ends: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** Two databases of one engine as two replicas, behind a proxy that leads each query to one. */
async function replicas() {
  const both = [await testStore(), await testStore()] as const
  for (const { drop } of both) ends.push(drop)
  const [current, late] = both
  const route: { next: (() => TestStore)[]; always: TestStore } = { next: [], always: current }
  const engine = new URL(current.address.url)
  const proxy = createServer((incoming, outgoing) => {
    const { database } = route.next.shift()?.() ?? route.always
    const url = new URL(incoming.url ?? '', engine)
    url.searchParams.set('database', database)
    const { method, headers } = incoming
    const onward = request(url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  const url = `http://127.0.0.1:${port}`
  const store = clickhouseStore({ ...current.address, url, database: 'behind the proxy' })
  ends.push(async () => {
    await store.close()
    proxy.closeAllConnections()
    await new Promise((resolve) => proxy.close(resolve))
  })
  return { current, late, route, store }
}

/** What a flush of both on-chain groups writes for a block. */
async function write({ store }: TestStore, block: number): Promise<void> {
  const at = position(block)
  const transfer = { token, blockNumber: block, transactionHash: aHash(block), position: at }
  await insertRows(store, transfersByToken, [aTransfer(transfer)])
  await insertRows(store, tokenState, [aToken({ token, name: `Gold ${block}`, position: at })])
  for (const group of ['ledger', 'state'] as const) {
    const head = { blockNumber: block, blockHash: aHash(block), timestamp: block }
    const place = { ...head, knownFrom: 0, logHash: null }
    await insertRows(store, progress, [
      { group: groupId(group), ...place, position: at, isDeleted: 0 },
    ])
  }
}

async function api(form: Pick<ApiOptions, 'store' | 'cache' | 'replicaCheck'>) {
  const events = memoryEventLog()
  const metrics = startMetrics()
  const started = await startApi({ ...form, eventLog: events, metrics, chainId: 1, log: silentLog })
  ends.push(() => started.stop())
  const ask = async () => {
    const asked = { method: 'GET', path: transfers, query: '', headers: {}, client: '127.0.0.1' }
    const { body, status, headers } = await started.handler(asked)
    if (status !== 200) return { status, isRetried: headers['retry-after'] !== undefined }
    const { items } = JSON.parse(body.toString())
    const [newest] = items
    return { block: newest.block_number, name: newest.token.name }
  }
  const announce = async (block: number) => {
    const at = position(block)
    const place = { after: position(block - 1), position: at, block, hash: null, time: block }
    const buckets = [bucketOf(token)]
    const moved = {
      ledger: { transfers_by_token: buckets },
      state: { token_state: buckets, 'token_state.names': buckets },
    }
    for (const group of ['ledger', 'state'] as const) {
      const id = groupId(group)
      const announced: Announcement = { group, ...place, facts: null, moved: moved[group] }
      await events.append('changes', [
        { key: id, value: Buffer.from(JSON.stringify({ ...announced, group: id })) },
      ])
    }
    await until(`block ${block} is announced`, () => started.head()?.block === block)
  }
  const behind = async () => {
    const { values } = await metrics.replicaBehind.get()
    return values[0]?.value ?? 0
  }
  const append = (text: string) =>
    events.append('changes', [{ key: 'x', value: Buffer.from(text) }])
  return { ask, announce, behind, append }
}

/** Decision 72. */
test('neither answers nor keeps anything by a late replica, in no cache', async () => {
  const { current, late, route, store } = await replicas()
  for (const replica of [current, late]) await write(replica, 1)
  const cache = memoryCache({ bytesMax: 1e6 })
  const { ask, announce, behind } = await api({ store, cache, replicaCheck: 'on' })
  await announce(1)
  await write(current, 2)
  await announce(2)
  route.always = late
  expect(await ask()).toEqual({ status: 503, isRetried: true })
  expect(await behind()).toBeGreaterThan(0)
  expect(await cache.get([cachedRows(tokenState).keyOf(token)])).toEqual([undefined])
  route.always = current
  expect(await ask()).toEqual({ block: 2, name: 'Gold 2' })
  route.always = late
  expect(await ask()).toEqual({ block: 2, name: 'Gold 2' })
})

test('asks another replica where the first one is late', async () => {
  const { current, late, route, store } = await replicas()
  for (const replica of [current, late]) await write(replica, 1)
  const { ask, announce, behind } = await api({ store, replicaCheck: 'on' })
  await announce(1)
  await write(current, 2)
  await announce(2)
  // Of the queries sent side by side one at least is of a group that has announced something.
  route.next = [() => late, () => late]
  expect(await ask()).toEqual({ block: 2, name: 'Gold 2' })
  expect(await behind()).toBeGreaterThan(0)
  route.always = late
  expect(await ask()).toEqual({ block: 2, name: 'Gold 2' })
})

test('asks without a check where one server alone has the tables', async () => {
  const { current, late, route, store } = await replicas()
  for (const replica of [current, late]) await write(replica, 1)
  expect(await replicationOf(current.store)).toBeNull()
  const { ask, announce, behind } = await api({ store: current.store, replicaCheck: 'auto' })
  await announce(1)
  await announce(2)
  expect(await ask()).toEqual({ block: 1, name: 'Gold 1' })
  expect(await behind()).toBe(0)
  route.always = late
  const since = { group: groupId('ledger'), position: 2 } as const
  const sql = 'SELECT group FROM progress\nWHERE group = {group:String}'
  await expect(store.query(sql, { group: 'state' }, since)).rejects.toThrow(StoreBehind)
  expect((await progressOf(store)).get('ledger')).toMatchObject({ position: 1 })
})

test('one server alone is asked again, too, once an announcement was unreadable', async () => {
  const { current } = await replicas()
  await write(current, 1)
  let reads = 0
  const store: Store = {
    ...current.store,
    query(sql, ...others) {
      if (sql.includes('FROM progress')) reads += 1
      return current.store.query(sql, ...others)
    },
  }
  const { append } = await api({ store, replicaCheck: 'auto' })
  const before = reads
  await append('no announcement')
  await until('the progress is read', () => reads > before)
})

test('the hour of rates is that of the replica which is furthest', async () => {
  const { current, late, route, store } = await replicas()
  for (const [hour, replica] of [late, current].entries()) {
    const at = { position: position(hour), blockNumber: null, blockHash: null, knownFrom: 0 }
    const row = { group: 'dimensions', ...at, logHash: null, isDeleted: 0 }
    await insertRows(replica.store, progress, [{ ...row, timestamp: (hour + 1) * 3_600 }])
  }
  const { writtenRateHour } = rateHoursIn(store, new HeadOfGroups())
  route.always = late
  route.next = [() => late, () => late, () => current]
  // One read for both.
  expect(await Promise.all([writtenRateHour(), writtenRateHour()])).toEqual([2, 2])
  expect(await writtenRateHour()).toBe(1)
})

test('a process that starts asks more than one replica how far the tables are', async () => {
  const { current, late, route, store } = await replicas()
  for (const replica of [current, late]) await write(replica, 1)
  await write(current, 2)
  route.next.push(() => late)
  const { ask, behind } = await api({ store, replicaCheck: 'on' })
  expect(route.next).toEqual([])
  route.always = late
  expect(await ask()).toEqual({ status: 503, isRetried: true })
  expect(await behind()).toBeGreaterThan(0)
})
