import { expect, test } from 'vitest'
import { position } from '../../libs/chain/position.ts'
import { type Announcement, bucketOf } from '../../libs/topics/changes.ts'
import { Moved } from './moved.ts'

const family = { name: 'token_state', group: 'state' } as const
const subject = '0xaa'

const ofNoBlock = { block: null, hash: null, time: null, facts: null }

function listening() {
  const moved = new Moved([family, { name: 'holders', group: 'state' }])
  let sequence = 0
  /** Announces what comes next, at the next offset or at that one. */
  const hear = (what: Announcement['moved'], offset = moved.now.offset, after = sequence) => {
    const place = {
      group: 'state',
      after: position(after),
      position: position(++sequence),
    } as const
    moved.hear(offset, { ...ofNoBlock, ...place, moved: what })
  }
  const isStill = (moment = moved.now) => moved.isStill(family.name, subject, moment)
  return { moved, hear, isStill }
}

const ofSubject = { [family.name]: [bucketOf(subject)] }
const ofOthers = { [family.name]: [bucketOf('0xbb')], holders: [bucketOf(subject)] }

test('holds what was read still until its bucket is announced', () => {
  const { moved, hear, isStill } = listening()
  const read = moved.now
  hear(ofOthers)
  expect(isStill(read)).toBe(true)
  expect(moved.isWholeStill(family.name, read)).toBe(false)
  hear(ofSubject)
  expect(isStill(read)).toBe(false)
  expect(isStill()).toBe(true)
})

test('holds nothing of a group still when everything of it moved', () => {
  const { moved, hear, isStill } = listening()
  const read = moved.now
  hear('everything')
  expect(isStill(read)).toBe(false)
  expect(isStill()).toBe(true)
  const { now } = moved
  const after = position(9)
  const told = { group: 'ledger', after, position: after, moved: 'everything' } as const
  moved.hear(now.offset, { ...ofNoBlock, ...told })
  expect(isStill(now)).toBe(true)
})

test('holds nothing still of a family that nobody follows', () => {
  const { moved } = listening()
  expect(moved.isStill('stranger', subject, moved.now)).toBe(false)
})

test.each([
  ['an offset is missing', ({ moved, hear }: Listening) => hear({}, moved.now.offset + 1)],
  ['an announcement cannot be read', ({ moved }: Listening) => moved.hear(moved.now.offset, null)],
  ['positions are missing', ({ hear }: Listening) => hear({}, undefined, 7)],
  ['the log was cut above what was heard', ({ moved }: Listening) => moved.beginAt(9)],
])('holds nothing still when %s', (_, gap) => {
  const listener = listening()
  listener.hear({})
  const read = listener.moved.now
  gap(listener)
  expect(listener.isStill(read)).toBe(false)
  expect(listener.isStill()).toBe(true)
})

type Listening = ReturnType<typeof listening>

test('takes nothing of another log for still, whatever its offsets', () => {
  const { moved, hear, isStill } = listening()
  hear({})
  hear(ofSubject)
  const read = moved.now
  moved.beginAt(0)
  for (let at = 0; at < 5; at++) hear({}, undefined, 0)
  expect(isStill(read)).toBe(false)
  expect(isStill()).toBe(true)
})

test('is not moved by what is told twice', () => {
  const { moved, hear, isStill } = listening()
  hear(ofSubject)
  const read = moved.now
  hear(ofSubject, 0)
  expect(isStill(read)).toBe(true)
  expect(moved.now).toBe(read)
})

test('counts the groups as heard up to where they were before', () => {
  const { moved, hear, isStill } = listening()
  moved.reachedBefore('state', 5)
  const read = moved.now
  hear({}, undefined, 5)
  expect(isStill(read)).toBe(true)
})

test('does not know how far groups have announced after one was missed, until they announce again', () => {
  const moved = new Moved([{ name: 'lists', group: 'ledger' }])
  const at = (n: number) => ({ after: position(n - 1), position: position(n), ...ofNoBlock })
  moved.beginAt(0)
  expect(moved.announced('ledger')).toBeNull()
  for (const group of ['ledger', 'state', 'dimensions'] as const) moved.begunBy(group)
  moved.hear(0, { group: 'ledger', ...at(5), moved: {} })
  expect([moved.announced('ledger'), moved.announced('state')]).toEqual([5, 0])
  moved.hear(1, null)
  expect([moved.announced('ledger'), moved.announced('state')]).toEqual([null, null])
  moved.hear(2, { group: 'ledger', ...at(7), moved: {} })
  expect([moved.announced('ledger'), moved.announced('state')]).toEqual([7, null])
  moved.hear(9, { group: 'state', ...at(3), moved: {} })
  expect([moved.announced('ledger'), moved.announced('state')]).toEqual([null, 3])
  moved.reachedBefore('ledger', 8)
  expect([moved.announced('ledger'), moved.isBehind]).toEqual([8, true])
})
