import { expect, test } from 'vitest'
import { position } from '../../../libs/chain/position.ts'
import { groupId } from '../../../libs/tables/declare/group-versions.ts'
import { familiesOf, invalidatedFamilies, namesOf } from '../../../libs/tables/declare/table.ts'
import { tokenState } from '../../../libs/tables/tables/tokens.ts'
import { bucketOf } from '../../../libs/topics/changes.ts'
import { Dependencies } from '../clock/dependencies.ts'
import { InvalidationClock } from '../clock/invalidation-clock.ts'
import { type LookupOptions, RowCache } from './row-cache.ts'

const family = tokenState.name

function rowCacheOn(
  rows: Map<string, object>,
  during = () => {},
  subjectsOf?: (keys: readonly string[]) => readonly string[],
) {
  const clock = new InvalidationClock(
    familiesOf(tokenState).map((name) => ({ name, group: 'state' })),
  )
  const asked: string[][] = []
  const chain = { window: 7 }
  const cache = new RowCache<string, object>({
    family,
    clock,
    rowsMax: 8,
    window: () => chain.window,
    ...(subjectsOf === undefined ? {} : { subjectsOf }),
    async read(subjects) {
      asked.push([...subjects])
      during()
      return rows
    },
  })
  const move = (subject: string, isFiguresOnly = false) => {
    const families = invalidatedFamilies(tokenState, isFiguresOnly)
    const buckets = families.map((name) => [name, [bucketOf(subject)]])
    const at = position(0)
    const none = { block: null, hash: null, time: null, facts: null }
    const announced = { group: groupId('state'), after: at, position: at, ...none } as const
    clock.apply(clock.now.offset, { ...announced, moved: Object.fromEntries(buckets) })
  }
  const lookup = (stats: LookupOptions['stats']) => {
    const on = new Dependencies(clock.now, chain.window)
    return { on, stats, context: { isBehind: false } }
  }
  const get = (subjects: readonly string[], stats: LookupOptions['stats'] = 'exact') =>
    cache.get(subjects, lookup(stats))
  return { cache: { get }, asked, move, chain, lookup, whole: cache }
}

test('reads each subject once, and caches that one does not exist', async () => {
  const { cache, asked } = rowCacheOn(new Map([['a', { n: 1 }]]))
  expect([...(await cache.get(['a', 'b', 'a'])).keys()]).toEqual(['a'])
  expect([...(await cache.get(['b', 'a'])).keys()]).toEqual(['a'])
  expect(asked).toEqual([['a', 'b']])
})

test('reads again the keys whose subject has changed', async () => {
  const subjectsOf = (keys: readonly string[]) => keys.map((key) => key.slice(0, 1))
  const { cache, asked, move } = rowCacheOn(new Map(), undefined, subjectsOf)
  await cache.get(['a1', 'b1', 'a2'])
  move('a')
  await cache.get(['b1', 'a2', 'a1'])
  expect(asked).toEqual([
    ['a1', 'b1', 'a2'],
    ['a2', 'a1'],
  ])
})

test('refuses subjects that are not one for each key', async () => {
  const subjectsOf = (keys: readonly string[]) => [...new Set(keys.map((key) => key.slice(0, 1)))]
  const { cache } = rowCacheOn(new Map(), undefined, subjectsOf)
  await expect(cache.get(['a1', 'a2'])).rejects.toThrow('not a subject for each key')
})

test('reads again only subjects that have changed since', async () => {
  const { cache, asked, move } = rowCacheOn(new Map())
  await cache.get(['a', 'b'])
  move('b')
  await cache.get(['a', 'b'])
  expect(asked).toEqual([['a', 'b'], ['b']])
})

test('does not use a row that changed while it was read', async () => {
  let move = () => {}
  const { cache, asked, ...rest } = rowCacheOn(new Map(), () => move())
  move = () => rest.move('a')
  await cache.get(['a'])
  move = () => {}
  await cache.get(['a'])
  await cache.get(['a'])
  expect(asked).toHaveLength(2)
})

test('forgets rows beyond its bound', async () => {
  const { cache, asked } = rowCacheOn(new Map())
  await cache.get(['a', 'b', 'c'])
  await cache.get(['a'])
  expect(asked).toHaveLength(2)
})

test('returns stats as of the throttle window, names always as of now', async () => {
  const { cache, asked, move, chain } = rowCacheOn(new Map())
  await cache.get(['a'], 'throttled')
  move('a', true)
  await cache.get(['a'], 'throttled')
  expect(asked).toHaveLength(1)
  await cache.get(['a'], 'exact')
  expect(asked).toHaveLength(2)
  move('a')
  await cache.get(['a'], 'throttled')
  expect(asked).toHaveLength(3)
  move('a', true)
  chain.window++
  await cache.get(['a'], 'throttled')
  expect(asked).toHaveLength(4)
})

test('records how old the throttled stats are', async () => {
  const { whole, move, lookup } = rowCacheOn(new Map())
  await whole.get(['a'], lookup('throttled'))
  move('a', true)
  move('b')
  const later = lookup('throttled')
  await whole.get(['a', 'b'], later)
  expect(later.on.collected).toMatchObject({ since: 2, throttledSince: 0, window: 7 })
})

test('keeps a row that several answers read through a scan of others', async () => {
  const { cache, asked } = rowCacheOn(new Map())
  await cache.get(['a'])
  await cache.get(['a'])
  for (let scanned = 0; scanned < 100; scanned++) await cache.get([`scan ${scanned}`])
  asked.length = 0
  await cache.get(['a'])
  expect(asked).toEqual([])
})

test('takes a row that one answer looks up twice for one that is shown once', async () => {
  const { whole, lookup, cache, asked } = rowCacheOn(new Map())
  const answer = lookup('exact')
  for (let times = 0; times < 2; times++) await whole.get(['a'], answer)
  for (let scanned = 0; scanned < 100; scanned++) await cache.get([`scan ${scanned}`])
  asked.length = 0
  await cache.get(['a'])
  expect(asked).toEqual([['a']])
})

test('reads rows with unused stats again only once the names have changed', async () => {
  const { cache, asked, move, chain } = rowCacheOn(new Map([['a', {}]]))
  await cache.get(['a'], 'unused')
  move('a', true)
  chain.window++
  await cache.get(['a'], 'unused')
  expect(asked).toEqual([['a']])
  move('a')
  await cache.get(['a'], 'unused')
  expect(asked).toEqual([['a'], ['a']])
})

test('depends on the names alone if stats are unused', async () => {
  const { whole, lookup } = rowCacheOn(new Map())
  const told = lookup('unused')
  await whole.get(['a'], told)
  const { exactly, throttled } = told.on.collected
  expect([exactly, throttled]).toEqual([[[namesOf(family), [bucketOf('a')]]], []])
})
