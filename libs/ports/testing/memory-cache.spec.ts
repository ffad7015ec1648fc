import { describe, expect, test } from 'vitest'
import { cacheLaws } from './cache-laws.ts'
import { memoryCache } from './memory-cache.ts'

const entry = (bytes: number) => ({ bytes: Buffer.alloc(bytes), position: 1 })

describe('a cache in memory', () => {
  const cache = memoryCache({ bytesMax: 8 * 100_000 })
  const keyAndOverheadBytes = 'bound/at'.length + 200
  cacheLaws({ cache: () => cache, entryBytesMax: 100_000 - keyAndOverheadBytes })
})

test('stays within its bytes: the least recently used go first', async () => {
  const cache = memoryCache({ bytesMax: 10_000 })
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']) {
    await cache.set([[key, entry(1_000)]])
  }
  expect(await cache.get(['a', 'i'])).toEqual([undefined, entry(1_000)])
})
