import { expect, test } from 'vitest'
import { position } from '../../../libs/chain/position.ts'
import {
  type QueryOptions,
  ResultTooLarge,
  StoreBehind,
  StoreFailed,
  StoreUnavailable,
  type WholeReplicas,
} from '../../../libs/ports/store.ts'
import { memoryCache } from '../../../libs/ports/testing/memory-cache.ts'
import { anAddress, aToken } from '../../../libs/presenters/testing/rows.ts'
import { cachedRows } from '../../../libs/tables/declare/cached-rows.ts'
import { groupId } from '../../../libs/tables/declare/group-versions.ts'
import { put } from '../../../libs/tables/declare/table.ts'
import { addressLabels } from '../../../libs/tables/tables/addresses.ts'
import { cachedTables } from '../../../libs/tables/tables/all-tables.ts'
import { prices } from '../../../libs/tables/tables/prices.ts'
import { tokenMarket, tokenState } from '../../../libs/tables/tables/tokens.ts'
import { oneRowStore } from '../../api/testing/one-row-store.ts'
import { CacheableRows } from './batch.ts'
import { factsIn, writeThrough } from './write-through.ts'

const token = anAddress(0x70)
const at = position(7)
const fact = { token, kind: 'icon', fact: '{}', position: at, isDeleted: 0 }
const announced = {
  group: groupId('dimensions'),
  after: position(6),
  position: at,
  moved: {},
} as const
const announcement = {
  ...announced,
  block: null,
  hash: null,
  time: null,
  facts: { 'token-facts': 3 },
}

/** Writes through what a flush has moved, and tells what the cache then holds of the token. */
async function written(whole: WholeReplicas | null) {
  const { store } = oneRowStore({ token_market: [fact] })
  const wanted: (WholeReplicas | undefined)[] = []
  const query = async (...[sql, parameters, options]: Parameters<typeof store.query>) => {
    wanted.push(options?.replicas)
    if (options?.replicas?.size === 0) throw new StoreBehind()
    return store.query(sql, parameters, options satisfies QueryOptions | undefined)
  }
  const cache = memoryCache({ bytesMax: 100_000 })
  const hot = new CacheableRows()
  hot.add(put(tokenMarket, fact))
  const facts = factsIn({ ...store, query }, whole && (async () => whole))
  await writeThrough(cache, facts)({ announcement, hot })
  const [entry] = await cache.get([cachedRows(tokenMarket).keyOf(token)])
  return { wanted, position: entry?.position }
}

test('reads the facts of a flush for the shared cache from a replica that has them', async () => {
  const whole = new Map([['token_market', ['server/table']]])
  expect(await written(whole)).toEqual({ wanted: [whole], position: 3 })
})

test('writes no facts into the shared cache that a late replica has', async () => {
  const whole = new Map()
  expect(await written(whole)).toEqual({ wanted: [whole], position: undefined })
})

/** Of a flush whose facts cannot be read. */
async function writtenWithout(failure: Error) {
  const failing = () => Promise.reject(failure)
  const hot = new CacheableRows()
  hot.add(put(tokenMarket, fact))
  const cache = memoryCache({ bytesMax: 100_000 })
  await writeThrough(cache, { market: failing, labels: failing })({ announcement, hot })
}

test.each([new StoreUnavailable('away'), new ResultTooLarge('long'), new StoreBehind()])(
  'goes on without facts that cannot be read: %s',
  async (failure) => {
    await expect(writtenWithout(failure)).resolves.toBeUndefined()
  },
)

test('does not hide another failure', async () => {
  await expect(writtenWithout(new StoreFailed('a fault'))).rejects.toThrow('a fault')
})

test('asks for no replica where one server alone has the tables', async () => {
  expect(await written(null)).toEqual({ wanted: [undefined], position: 3 })
})

const version = { position: at, isDeleted: 0 } as const
const labelled = { address: token, kind: 'ens', fact: '{}', ...version }
const changes = [
  put(tokenState, aToken({ token })),
  put(tokenMarket, { ...fact, ...version }),
  put(addressLabels, labelled),
  put(prices, { moment: 'now', price: '1', ...version }),
]

test.each(cachedTables)('writes changed rows of $name to the shared cache', async (table) => {
  const change = changes.find((one) => one.table.name === table.name)
  if (change === undefined) throw new Error('no changed row of the table here')
  const { store } = oneRowStore({ token_market: [fact], address_labels: [labelled] })
  const cache = memoryCache({ bytesMax: 100_000 })
  const hot = new CacheableRows()
  hot.add(change)
  const flushed = { ...announcement, group: groupId(table.group), facts: { [table.source]: 3 } }
  await writeThrough(cache, factsIn(store, null))({ announcement: flushed, hot })
  const { keyOf, decode } = cachedRows(change.table)
  const [entry] = await cache.get([keyOf(change.table.subjectOf(change.row))])
  expect(entry && decode(entry.bytes)).toEqual([change.row])
})
