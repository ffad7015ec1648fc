import { expect, test } from 'vitest'
import { hex } from '../../libs/chain/hex.ts'
import { SourceOfValues } from '../../test/support/source-of-values.ts'
import { FetchAhead } from './fetch-ahead.ts'

/** Counts the blocks that are fetched and not taken. */
async function aheadAfter(inputs: readonly number[]): Promise<number[]> {
  const source = new SourceOfValues()
  for (const bytes of inputs) {
    source.call = { to: null, input: hex(`0x${'00'.repeat(bytes)}`) }
    source.grow(1)
  }
  let fetched = 0
  const block = source.block.bind(source)
  source.block = (number) => {
    fetched += 1
    return block(number)
  }
  const ahead = new FetchAhead(source, { blocksAheadMax: 4, bytesAheadMax: 100_000 })
  const open: number[] = []
  for (let number = 0; number < inputs.length; ) {
    const taken = await ahead.take(number)
    number += taken.length
    open.push(fetched - (number - taken.length))
  }
  return open
}

test('fetches as many blocks ahead as it may', async () => {
  expect(Math.max(...(await aheadAfter(Array(12).fill(10))))).toBe(4)
})

test('fetches fewer once blocks are great, and one at a time where each is above the bound', async () => {
  const great = await aheadAfter([...Array(8).fill(25_000), ...Array(8).fill(60_000)])
  expect(great[0]).toBe(4)
  expect(great.slice(1, 4).every((open) => open <= 2)).toBe(true)
  expect(great.slice(-4)).toEqual([1, 1, 1, 1])
})

test('fetches as many as before when small blocks have followed', async () => {
  const open = await aheadAfter([60_000, ...Array(20).fill(10)])
  expect(open.at(1)).toBeLessThan(4)
  expect(Math.max(...open.slice(-5))).toBe(4)
})
