import { expect, test } from 'vitest'
import { hashText } from '../../../libs/topics/quantities.ts'
import { FirstSeen } from './first-seen.ts'

const block = (number: number) => {
  const hash = hashText.parse(`0x${number.toString(16).padStart(64, '0')}`)
  return { number, hash }
}

test('a block was first seen when it was first fetched', () => {
  const seen = new FirstSeen()
  seen.note(block(7), 1_000)
  seen.note(block(7), 9_000)
  expect([...seen.of([block(7), block(8)], 8)]).toEqual([[block(7).hash, 1_000]])
})

test('blocks far below the head are a backlog: they have no time', () => {
  const seen = new FirstSeen()
  for (const number of [100, 136, 137, 200]) seen.note(block(number), number)
  const found = seen.of([100, 136, 137, 200].map(block), 200)
  expect([...found.values()]).toEqual([137, 200])
})

test('only the newest are kept', () => {
  const seen = new FirstSeen()
  for (let number = 0; number < 1_000; number++) seen.note(block(number), number)
  expect(seen.of([block(0), block(743)], 0).size).toBe(0)
  expect([...seen.of([block(744), block(999)], 0).values()]).toEqual([744, 999])
})
