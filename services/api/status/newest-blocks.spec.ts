import { expect, test } from 'vitest'
import { NewestBlocks } from './newest-blocks.ts'

const numbers = (blocks: NewestBlocks) => blocks.all.map(({ number }) => number)

test('keeps the last heads, newest first, each with the time it was first seen', () => {
  const blocks = new NewestBlocks()
  for (let block = 1; block <= 30; block++) blocks.add({ block, time: block * 12 }, block * 12_000)
  blocks.add({ block: 30, time: 360 }, 999_999)
  expect(blocks.all).toHaveLength(12)
  expect(blocks.all[0]).toEqual({ number: 30, time: 360, seenAt: 360_000 })
  expect(numbers(blocks)).toEqual([30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19])
})

test('forgets what a reorganisation has reverted', () => {
  const blocks = new NewestBlocks()
  for (const block of [5, 6, 7, 5]) blocks.add({ block, time: null }, block)
  expect(numbers(blocks)).toEqual([5])
  blocks.add({ block: 6, time: null }, 8)
  expect(numbers(blocks)).toEqual([6, 5])
})
