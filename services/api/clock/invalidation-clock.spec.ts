import { expect, test } from 'vitest'
import { position } from '../../../libs/chain/position.ts'
import { groupId, groupIdOf, groupVersions } from '../../../libs/tables/declare/group-versions.ts'
import { type Announcement, bucketOf } from '../../../libs/topics/changes.ts'
import { CachePositions } from './cache-positions.ts'
import { InvalidationClock } from './invalidation-clock.ts'

const family = { name: 'token_state', group: 'state' } as const
const subject = '0xaa'

const ofNoBlock = { block: null, hash: null, time: null, facts: null }

function listening() {
  const clock = new InvalidationClock([family, { name: 'holders', group: 'state' }])
  let sequence = 0
  /** Announces what comes next, at the next offset or at that one. */
  const announce = (what: Announcement['moved'], offset = clock.now.offset, after = sequence) => {
    const place = {
      group: groupId('state'),
      after: position(after),
      position: position(++sequence),
    } as const
    clock.apply(offset, { ...ofNoBlock, ...place, moved: what })
  }
  const isUnchanged = (moment = clock.now) => clock.isUnchanged(family.name, subject, moment)
  return { clock, announce, isUnchanged }
}

const ofSubject = { [family.name]: [bucketOf(subject)] }
const ofOthers = { [family.name]: [bucketOf('0xbb')], holders: [bucketOf(subject)] }

test('holds what was read still until its bucket is announced', () => {
  const { clock, announce, isUnchanged } = listening()
  const read = clock.now
  announce(ofOthers)
  expect(isUnchanged(read)).toBe(true)
  expect(clock.isFamilyUnchanged(family.name, read)).toBe(false)
  announce(ofSubject)
  expect(isUnchanged(read)).toBe(false)
  expect(isUnchanged()).toBe(true)
})

test('reports every subject of a group as changed when everything changed', () => {
  const { clock, announce, isUnchanged } = listening()
  const read = clock.now
  announce('everything')
  expect(isUnchanged(read)).toBe(false)
  expect(isUnchanged()).toBe(true)
  const { now } = clock
  const after = position(9)
  const told = { group: groupId('ledger'), after, position: after, moved: 'everything' } as const
  clock.apply(now.offset, { ...ofNoBlock, ...told })
  expect(isUnchanged(now)).toBe(true)
})

test('holds nothing still of a family that nobody follows', () => {
  const { clock } = listening()
  expect(clock.isUnchanged('stranger', subject, clock.now)).toBe(false)
})

test.each([
  ['an offset is missing', ({ clock, announce }: Listening) => announce({}, clock.now.offset + 1)],
  ['an announcement cannot be read', ({ clock }: Listening) => clock.apply(clock.now.offset, null)],
  ['positions are missing', ({ announce }: Listening) => announce({}, undefined, 7)],
  ['the log was cut above what was heard', ({ clock }: Listening) => clock.seek(9)],
])('holds nothing still when %s', (_, gap) => {
  const listener = listening()
  listener.announce({})
  const read = listener.clock.now
  gap(listener)
  expect(listener.isUnchanged(read)).toBe(false)
  expect(listener.isUnchanged()).toBe(true)
})

type Listening = ReturnType<typeof listening>

test('takes nothing of another log for still, whatever its offsets', () => {
  const { clock, announce, isUnchanged } = listening()
  announce({})
  announce(ofSubject)
  const read = clock.now
  clock.seek(0)
  for (let at = 0; at < 5; at++) announce({}, undefined, 0)
  expect(isUnchanged(read)).toBe(false)
  expect(isUnchanged()).toBe(true)
})

test('ignores a redelivered announcement', () => {
  const { clock, announce, isUnchanged } = listening()
  announce(ofSubject)
  const read = clock.now
  announce(ofSubject, 0)
  expect(isUnchanged(read)).toBe(true)
  expect(clock.now).toBe(read)
})

test('has no gap before the positions that groups had reached earlier', () => {
  const { clock, announce, isUnchanged } = listening()
  clock.advanceTo('state', 5)
  const read = clock.now
  announce({}, undefined, 5)
  expect(isUnchanged(read)).toBe(true)
})

test('does not know how far groups have announced after one was missed, until they announce again', () => {
  const clock = new InvalidationClock([{ name: 'lists', group: 'ledger' }])
  const at = (n: number) => ({ after: position(n - 1), position: position(n), ...ofNoBlock })
  clock.seek(0)
  expect(clock.announcedPosition('ledger')).toBeNull()
  for (const group of ['ledger', 'state', 'dimensions'] as const) clock.closeGap(group)
  clock.apply(0, { group: groupId('ledger'), ...at(5), moved: {} })
  expect([clock.announcedPosition('ledger'), clock.announcedPosition('state')]).toEqual([5, 0])
  clock.apply(1, null)
  expect([clock.announcedPosition('ledger'), clock.announcedPosition('state')]).toEqual([
    null,
    null,
  ])
  clock.apply(2, { group: groupId('ledger'), ...at(7), moved: {} })
  expect([clock.announcedPosition('ledger'), clock.announcedPosition('state')]).toEqual([7, null])
  clock.apply(9, { group: groupId('state'), ...at(3), moved: {} })
  expect([clock.announcedPosition('ledger'), clock.announcedPosition('state')]).toEqual([null, 3])
  clock.advanceTo('ledger', 8)
  expect([clock.announcedPosition('ledger'), clock.hasGap]).toEqual([8, true])
})

test('learns nothing of missed announcements from one that comes again', () => {
  const positions = new CachePositions()
  const clock = new InvalidationClock([{ name: 'lists', group: 'state' }], positions)
  const at = (n: number) => ({ after: position(n - 1), position: position(n), ...ofNoBlock })
  clock.apply(0, { group: groupId('state'), ...at(5), moved: {} })
  expect(positions.reachedPositionOf('token_state')).toBe(5)
  clock.apply(1, null)
  for (const again of [4, 5]) {
    clock.apply(clock.now.offset, { group: groupId('state'), ...at(again), moved: {} })
    expect(clock.announcedPosition('state')).toBeNull()
    expect(positions.reachedPositionOf('token_state')).toBeNull()
  }
  clock.apply(clock.now.offset, { group: groupId('state'), ...at(6), moved: {} })
  expect(clock.announcedPosition('state')).toBe(6)
  expect(positions.reachedPositionOf('token_state')).toBe(6)
})

test('passes over announcements of another version, whose tables are not read', () => {
  const { clock, announce, isUnchanged } = listening()
  announce({})
  const read = clock.now
  const after = position(70)
  const told = { group: groupIdOf('state', groupVersions.state + 1), after, position: after }
  clock.apply(read.offset, { ...ofNoBlock, ...told, moved: 'everything' })
  expect(clock.now.offset).toBe(read.offset + 1)
  expect(isUnchanged(read)).toBe(true)
  expect(clock.announcedPosition('state')).toBe(1)
})
