import { expect, test } from 'vitest'
import { memoryCache } from './memory-cache.ts'

const entry = (bytes: number) => ({ bytes: Buffer.alloc(bytes), position: 1 })

test('stays within its bytes: the least recently used go first', async () => {
  const cache = memoryCache({ bytesMax: 10_000 })
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']) {
    await cache.set([[key, entry(1_000)]])
  }
  expect(await cache.get(['a', 'i'])).toEqual([undefined, entry(1_000)])
})

test('does not keep an entry that would drive out most others', async () => {
  const cache = memoryCache({ bytesMax: 10_000 })
  await cache.set([
    ['a', entry(1_000)],
    ['large', entry(5_000)],
  ])
  expect(await cache.get(['large', 'a'])).toEqual([undefined, entry(1_000)])
})
