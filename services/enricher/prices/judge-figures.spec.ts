import { expect, it } from 'vitest'
import { judge } from './judge-figures.ts'
import type { Figures } from './read-answer.ts'

const options = { jumpFactor: 2 }
const figures = (price: string | null, more: Partial<Figures> = {}): Figures => ({
  ...{ price, volume24h: null, marketCap: null, circulatingSupply: null, icon: null, ...more },
})
const known = (published: string | null, held?: string | null) => ({
  published: figures(published),
  held: held === undefined ? null : figures(held),
})

it('publishes the first price, and none of a token without one', () => {
  const nothing = { published: null, held: null }
  expect(judge(nothing, figures('5'), options)).toBe('published')
  expect(judge(nothing, figures(null), options)).toBe('none')
  expect(judge(nothing, figures(null, { icon: 'https://i/' }), options)).toBe('published')
})

it('leaves out what hardly changed', () => {
  expect(judge(known('100'), figures('100.1'), options)).toBe('unchanged')
  expect(judge(known('100'), figures('100.3'), options)).toBe('published')
  expect(judge(known('100'), figures('100', { marketCap: '1' }), options)).toBe('published')
  expect(judge(known('0'), figures('0'), options)).toBe('unchanged')
})

it.each([['1000'], ['40'], ['0'], [null]])(
  'holds a price of 100 that becomes %s until it is confirmed',
  (price) => {
    expect(judge(known('100'), figures(price), options)).toBe('held')
    expect(judge(known('100', price), figures(price), options)).toBe('published')
  },
)

it.each<[string | null, string | null]>([
  ['1000', '40'],
  ['1000', null],
  [null, '1000'],
])('holds again where the second answer is not like the first: %s, then %s', (held, price) => {
  expect(judge(known('100', held), figures(price), options)).toBe('held')
})

it('takes a price back to what it was without a second answer', () => {
  expect(judge(known('100', '1000'), figures('101'), options)).toBe('published')
  expect(judge(known('100', '1000'), figures('100'), options)).toBe('unchanged')
})

it('publishes a price that is back after it was gone', () => {
  expect(judge(known(null), figures('3'), options)).toBe('published')
})
