import { expect, test } from 'vitest'
import { bucketOf } from '../../libs/topics/changes.ts'
import { Moved } from './moved.ts'

const family = 'token_state'
const subject = '0xaa'
const announced = (moved: Record<string, number[]> | 'everything') => ({ moved })

test('holds what was read still until its bucket is announced', () => {
  const moved = new Moved([family])
  const read = moved.now
  moved.hear(announced({ other: [bucketOf(subject)] }))
  expect(moved.isStill(family, subject, read)).toBe(true)
  moved.hear(announced({ [family]: [bucketOf('0xbb')] }))
  expect(moved.isStill(family, subject, read)).toBe(true)
  moved.hear(announced({ [family]: [bucketOf(subject)] }))
  expect(moved.isStill(family, subject, read)).toBe(false)
  expect(moved.isStill(family, subject, moved.now)).toBe(true)
})

test('holds nothing still when everything moved', () => {
  const moved = new Moved([family])
  const read = moved.now
  moved.hear(announced('everything'))
  expect(moved.isStill(family, subject, read)).toBe(false)
  expect(moved.isStill(family, subject, moved.now)).toBe(true)
})

test('holds a family that nobody follows still only until the next announcement', () => {
  const moved = new Moved([family])
  const read = moved.now
  moved.hear(announced({}))
  expect(moved.isStill('stranger', subject, read)).toBe(false)
})
