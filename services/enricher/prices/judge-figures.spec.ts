import { expect, it } from 'vitest'
import { judge, type Known } from './judge-figures.ts'
import type { Figures } from './read-answer.ts'

const options = { jumpFactor: 2, goneAfterMs: 100, now: 0 }
const figures = (price: string | null, more: Partial<Figures> = {}): Figures => ({
  ...{ price, volume24h: null, marketCap: null, circulatingSupply: null, icon: null, ...more },
})
const known = (published: string | null, held?: string | null): Known => ({
  published: figures(published),
  isOwn: true,
  held: held === undefined ? null : { figures: figures(held), at: 0 },
})
const nothing: Known = { published: null, isOwn: false, held: null }

it('publishes the first price, and none of a token without one', () => {
  expect(judge(nothing, figures('5'), options)).toBe('published')
  expect(judge(nothing, figures(null), options)).toBe('none')
  expect(judge(nothing, figures(null, { icon: 'https://i/' }), options)).toBe('published')
})

it('leaves out what hardly changed', () => {
  expect(judge(known('100'), figures('100.1'), options)).toBe('unchanged')
  expect(judge(known('100'), figures('100.3'), options)).toBe('published')
  expect(judge(known('100'), figures('100', { marketCap: '1' }), options)).toBe('published')
  expect(judge(known('0'), figures('0'), options)).toBe('unchanged')
  const was = { ...known('1'), published: figures('1', { volume24h: '100' }) }
  expect(judge(was, figures('1', { volume24h: '104' }), options)).toBe('unchanged')
  expect(judge(was, figures('1', { volume24h: '106' }), options)).toBe('published')
})

it.each([['1000'], ['40'], ['0']])(
  'holds a price of 100 that becomes %s until another answer is like it',
  (price) => {
    expect(judge(known('100'), figures(price), options)).toBe('held')
    expect(judge(known('100', price), figures(price), options)).toBe('published')
  },
)

it.each<[string | null, string]>([
  ['1000', '40'],
  [null, '1000'],
])('holds again where the second answer is not like the first: %s, then %s', (held, price) => {
  expect(judge(known('100', held), figures(price), options)).toBe('held')
})

it('takes a price away only after it has been gone for long', () => {
  expect(judge(known('100'), figures(null), options)).toBe('held')
  expect(judge(known('100', '1000'), figures(null), { ...options, now: 1_000 })).toBe('held')
  expect(judge(known('100', null), figures(null), { ...options, now: 99 })).toBe('held')
  expect(judge(known('100', null), figures(null), { ...options, now: 100 })).toBe('published')
})

it('takes no price away that others have published', () => {
  const imported = { ...known('100', null), isOwn: false }
  expect(judge(imported, figures(null), { ...options, now: 1_000 })).toBe('none')
  expect(judge(imported, figures('101'), options)).toBe('published')
})

it('takes a price back to what it was without a second answer', () => {
  expect(judge(known('100', '1000'), figures('101'), options)).toBe('published')
  expect(judge(known('100', '1000'), figures('100'), options)).toBe('unchanged')
})

it('publishes a price that is back after it was gone', () => {
  expect(judge(known(null), figures('3'), options)).toBe('published')
})
