import { expect, test } from 'vitest'
import { position } from '../../../libs/chain/position.ts'
import { bucketOf } from '../../../libs/topics/changes.ts'
import { invalidatedFamilies, namesOf } from '../../../libs/topics/families.ts'
import { Dependencies } from '../invalidation/dependencies.ts'
import { InvalidationClock } from '../invalidation/invalidation-clock.ts'
import { type LookupOptions, RowCache } from './row-cache.ts'

const family = 'token_state'

function remembering(rows: Map<string, object>, during = () => {}) {
  const clock = new InvalidationClock(
    invalidatedFamilies(family, false).map((name) => ({ name, group: 'state' })),
  )
  const asked: string[][] = []
  const chain = { window: 7 }
  const remembered = new RowCache<string, object>({
    family,
    clock,
    rowsMax: 8,
    window: () => chain.window,
    async read(subjects) {
      asked.push([...subjects])
      during()
      return rows
    },
  })
  const move = (subject: string, isFiguresOnly = false) => {
    const families = invalidatedFamilies(family, isFiguresOnly)
    const buckets = families.map((name) => [name, [bucketOf(subject)]])
    const at = position(0)
    const none = { block: null, hash: null, time: null, facts: null }
    const announced = { group: 'state', after: at, position: at, ...none } as const
    clock.apply(clock.now.offset, { ...announced, moved: Object.fromEntries(buckets) })
  }
  const looking = (stats: LookupOptions['stats']) => {
    const on = new Dependencies(clock.now, chain.window)
    return { on, stats, context: { isBehind: false } }
  }
  const get = (subjects: readonly string[], stats: LookupOptions['stats'] = 'exact') =>
    remembered.get(subjects, looking(stats))
  return { remembered: { get }, asked, move, chain, looking, whole: remembered }
}

test('asks each subject once, and remembers that one is not there', async () => {
  const { remembered, asked } = remembering(new Map([['a', { n: 1 }]]))
  expect([...(await remembered.get(['a', 'b', 'a'])).keys()]).toEqual(['a'])
  expect([...(await remembered.get(['b', 'a'])).keys()]).toEqual(['a'])
  expect(asked).toEqual([['a', 'b']])
})

test('asks again for what has moved since, and for that only', async () => {
  const { remembered, asked, move } = remembering(new Map())
  await remembered.get(['a', 'b'])
  move('b')
  await remembered.get(['a', 'b'])
  expect(asked).toEqual([['a', 'b'], ['b']])
})

test('does not trust what was read while it moved', async () => {
  let move = () => {}
  const { remembered, asked, ...rest } = remembering(new Map(), () => move())
  move = () => rest.move('a')
  await remembered.get(['a'])
  move = () => {}
  await remembered.get(['a'])
  await remembered.get(['a'])
  expect(asked).toHaveLength(2)
})

test('forgets the least recently used beyond its bound', async () => {
  const { remembered, asked } = remembering(new Map())
  await remembered.get(['a', 'b', 'c'])
  await remembered.get(['a'])
  expect(asked).toHaveLength(2)
})

test('lets figures be those of the step, names never', async () => {
  const { remembered, asked, move, chain } = remembering(new Map())
  await remembered.get(['a'], 'throttled')
  move('a', true)
  await remembered.get(['a'], 'throttled')
  expect(asked).toHaveLength(1)
  await remembered.get(['a'], 'exact')
  expect(asked).toHaveLength(2)
  move('a')
  await remembered.get(['a'], 'throttled')
  expect(asked).toHaveLength(3)
  move('a', true)
  chain.window++
  await remembered.get(['a'], 'throttled')
  expect(asked).toHaveLength(4)
})

test('tells how old the figures are that it lets pass', async () => {
  const { whole, move, looking } = remembering(new Map())
  await whole.get(['a'], looking('throttled'))
  move('a', true)
  move('b')
  const later = looking('throttled')
  await whole.get(['a', 'b'], later)
  expect(later.on.collected).toMatchObject({ since: 2, throttledSince: 0, window: 7 })
})

test('remembers a row that several answers show through a scan of others', async () => {
  const { remembered, asked } = remembering(new Map())
  await remembered.get(['a'])
  await remembered.get(['a'])
  for (let scanned = 0; scanned < 100; scanned++) await remembered.get([`scan ${scanned}`])
  asked.length = 0
  await remembered.get(['a'])
  expect(asked).toEqual([])
})

test('takes a row that one answer looks up twice for one that is shown once', async () => {
  const { whole, looking, remembered, asked } = remembering(new Map())
  const answer = looking('exact')
  for (let times = 0; times < 2; times++) await whole.get(['a'], answer)
  for (let scanned = 0; scanned < 100; scanned++) await remembered.get([`scan ${scanned}`])
  asked.length = 0
  await remembered.get(['a'])
  expect(asked).toEqual([['a']])
})

test('asks again for figures that are not shown only once the names have moved', async () => {
  const { remembered, asked, move, chain } = remembering(new Map([['a', {}]]))
  await remembered.get(['a'], 'unused')
  move('a', true)
  chain.window++
  await remembered.get(['a'], 'unused')
  expect(asked).toEqual([['a']])
  move('a')
  await remembered.get(['a'], 'unused')
  expect(asked).toEqual([['a'], ['a']])
})

test('depends on the names alone where no figures are shown', async () => {
  const { whole, looking } = remembering(new Map())
  const told = looking('unused')
  await whole.get(['a'], told)
  const { exactly, throttled } = told.on.collected
  expect([exactly, throttled]).toEqual([[[namesOf(family), [bucketOf('a')]]], []])
})
