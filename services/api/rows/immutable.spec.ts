import { expect, test } from 'vitest'
import { isImmutable } from './immutable.ts'

const head = 1_000
const at = (...blocks: readonly number[]) => blocks.map((blockNumber) => ({ blockNumber }))
const from = (blockNumber: number) => ({ blockNumber })

test('takes a page for settled where its cursor is as deep as no reorganisation reaches', () => {
  const page = { order: 'desc', limit: 2 } as const
  expect(isImmutable({ ...page, after: from(744) }, at(500, 400), head)).toBe(true)
  expect(isImmutable({ ...page, after: from(745) }, at(500, 400), head)).toBe(false)
  expect(isImmutable({ ...page, after: from(99_999_999) }, at(500, 400), head)).toBe(false)
  expect(isImmutable({ ...page, after: null }, at(500, 400), head)).toBe(false)
})

test('looks at the last row where the oldest come first, as the cursor is the deeper end', () => {
  const page = { order: 'asc', limit: 2 } as const
  expect(isImmutable({ ...page, after: from(3) }, at(500, 744), head)).toBe(true)
  expect(isImmutable({ ...page, after: from(3) }, at(500, 745), head)).toBe(false)
  expect(isImmutable({ ...page, after: null }, at(500, 744), head)).toBe(true)
})

test.each(['asc', 'desc'] as const)('takes no page for settled that is not full (%s)', (order) => {
  expect(isImmutable({ order, limit: 2, after: from(3) }, at(2), head)).toBe(false)
  expect(isImmutable({ order, limit: 2, after: from(3) }, [], head)).toBe(false)
})

test('takes nothing for settled before there are blocks', () => {
  expect(isImmutable({ order: 'desc', limit: 1, after: from(0) }, at(0), 0)).toBe(false)
})
