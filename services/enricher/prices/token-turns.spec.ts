import { expect, it } from 'vitest'
import type { Figures } from './read-answer.ts'
import { token } from './testing/price-world.ts'
import { TokenTurns } from './token-turns.ts'

const limits = { pricedMax: 4, unpricedMax: 4, everyMs: 100, unpricedEveryMs: 1_000 }
const priced: Figures = {
  ...{ price: '1', volume24h: null, marketCap: null, circulatingSupply: null, icon: null },
}
const has = { published: priced, isOwn: true, held: null }
const hasNot = { published: null, isOwn: false, held: null }
const tokens = (...numbers: number[]) => numbers.map(token)

function opened() {
  const left: string[] = []
  const turns = new TokenTurns(limits, (which) => void left.push(which))
  return { turns, left }
}

it('asks for a token that moved at once, and again after its pause', () => {
  const { turns } = opened()
  turns.note(token(1))
  turns.note(token(2))
  expect(turns.next(0, 10).toSorted()).toEqual(tokens(1, 2))
  turns.settle(token(1), has, 0)
  turns.settle(token(2), hasNot, 0)
  turns.note(token(1))
  turns.note(token(2))
  expect(turns.next(99, 10)).toEqual([])
  expect(turns.next(100, 10)).toEqual(tokens(1))
  expect(turns.next(1_000, 10)).toEqual(tokens(1, 2))
})

it('shares a question between those with a price and those without', () => {
  const { turns } = opened()
  for (const one of tokens(1, 2, 3, 4)) turns.restore(one, priced)
  expect(turns.next(0, 4)).toEqual(tokens(1, 2, 3, 4))
  for (const one of tokens(5, 6, 7)) turns.note(one)
  expect(turns.next(0, 4)).toEqual(tokens(1, 2, 5, 6))
  turns.settle(token(1), has, 0)
  expect(turns.next(0, 4)).toEqual(tokens(2, 3, 5, 6))
})

it('of one after the other, too', () => {
  const { turns } = opened()
  turns.restore(token(1), priced)
  turns.note(token(2))
  expect([turns.next(0, 1), turns.next(0, 1), turns.next(0, 1)].flat()).toEqual(tokens(1, 2, 1))
  expect(turns.next(0, 3)).toEqual(tokens(1, 2))
})

it('takes turns among those with a price', () => {
  const { turns } = opened()
  for (const one of tokens(1, 2, 3)) turns.restore(one, priced)
  turns.settle(token(1), has, 0)
  turns.settle(token(3), has, 1)
  expect(turns.next(200, 10)).toEqual(tokens(2, 1, 3))
  expect(turns.next(200, 2)).toEqual(tokens(2, 1))
})

it('asks for those that were never asked for before others without a price', () => {
  const { turns } = opened()
  for (const one of tokens(1, 2, 3)) turns.note(one)
  turns.settle(token(1), hasNot, 0)
  expect(turns.next(1_000, 3)).toEqual(tokens(2, 3, 1))
})

it('forgets those without a price that moved longest ago, and keeps those with one', () => {
  const { turns, left } = opened()
  turns.restore(token(100), priced)
  for (const one of tokens(1, 2, 3, 4, 5, 6)) turns.note(one)
  expect(left).toEqual(['unpriced', 'unpriced'])
  expect(turns.next(0, 10)).toEqual(tokens(100, 3, 4, 5, 6))
  for (const one of tokens(3, 4, 5)) turns.settle(one, has, 0)
  expect([turns.pricedCount, left.length]).toEqual([4, 2])
})

it('asks for one that has a price and no place as for one without', () => {
  const { turns, left } = opened()
  for (const one of tokens(1, 2, 3, 4, 5)) turns.note(one)
  for (const one of tokens(2, 3, 4, 5)) turns.settle(one, has, 0)
  turns.note(token(6))
  turns.settle(token(6), has, 0)
  expect([turns.pricedCount, left.at(-1)]).toEqual([4, 'priced'])
  expect([turns.next(999, 10).includes(token(6)), turns.next(1_000, 10)]).toEqual([
    false,
    expect.arrayContaining([token(6)]),
  ])
})

it('asks for others before those that were asked for in vain', () => {
  const { turns } = opened()
  for (const one of tokens(1, 2)) turns.restore(one, priced)
  turns.note(token(3))
  for (const one of tokens(1, 3)) turns.postpone(one, 0)
  expect([turns.next(0, 10), turns.next(100, 10)].map((some) => some.toSorted())).toEqual([
    tokens(2),
    tokens(1, 2, 3),
  ])
})

it('asks later for one whose price is gone', () => {
  const { turns } = opened()
  turns.restore(token(1), priced)
  turns.settle(token(1), { ...has, published: { ...priced, price: null } }, 0)
  expect([turns.next(999, 1), turns.next(1_000, 1)]).toEqual([[], tokens(1)])
})
