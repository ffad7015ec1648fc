import { expect, test } from 'vitest'
import { memoryCache } from './memory-cache.ts'

const entry = (bytes: number) => ({ bytes: Buffer.alloc(bytes), position: 1 })

test('gives back what was set, until it is cleared', async () => {
  const cache = memoryCache({ bytesMax: 100_000 })
  await cache.set('a', entry(10))
  expect(await cache.get('a')).toEqual(entry(10))
  await cache.clear()
  expect(await cache.get('a')).toBeUndefined()
})

test('stays within its bytes: the least recently used go first', async () => {
  const cache = memoryCache({ bytesMax: 10_000 })
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'])
    await cache.set(key, entry(1_000))
  expect(await cache.get('a')).toBeUndefined()
  expect(await cache.get('i')).toBeDefined()
})

test('does not keep an entry that would drive out most others', async () => {
  const cache = memoryCache({ bytesMax: 10_000 })
  await cache.set('a', entry(1_000))
  await cache.set('large', entry(5_000))
  expect(await cache.get('large')).toBeUndefined()
  expect(await cache.get('a')).toBeDefined()
})
