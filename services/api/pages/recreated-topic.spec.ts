import { expect, test } from 'vitest'
import { memoryCache } from '../../../libs/ports/testing/memory-cache.ts'
import { clearIfTopicRecreated, consumedUpTo } from './pages.ts'

test('clears a cache whose pages have offsets above the end of the topic', async () => {
  const cache = memoryCache({ bytesMax: 10_000 })
  await cache.set([consumedUpTo(7), ['page', { bytes: Buffer.from('x'), position: 7 }]])
  expect(await clearIfTopicRecreated(cache, async () => 7)).toBe(false)
  expect((await cache.get(['page']))[0]).toBeDefined()
  expect(await clearIfTopicRecreated(cache, async () => 6)).toBe(true)
  expect((await cache.get(['page']))[0]).toBeUndefined()
})
