import { expect, test } from 'vitest'
import { position } from '../../../libs/chain/position.ts'
import { groupId } from '../../../libs/tables/declare/group-versions.ts'
import { HeadOfGroups, throttleWindow } from './follow-changes.ts'

test('has a head once both groups have announced one: the lower of the two', () => {
  const head = new HeadOfGroups()
  head.apply({ group: groupId('ledger'), position: position(7), block: 107, time: 1_007 })
  head.apply({ group: groupId('dimensions'), position: position(1), block: null, time: null })
  expect(head.head).toBeNull()
  head.apply({ group: groupId('state'), position: position(5), block: 105, time: 1_005 })
  expect(head.head).toEqual({ block: 105, time: 1_005 })
  expect(head.position).toBe(5)
})

test('ignores late announcements', () => {
  const head = new HeadOfGroups()
  for (const at of [9, 8]) {
    head.apply({ group: groupId('ledger'), position: position(at), block: at, time: at })
    head.apply({ group: groupId('state'), position: position(at), block: at, time: at })
  }
  expect(head.head).toEqual({ block: 9, time: 9 })
})

test('goes back with the groups when blocks are orphaned', () => {
  const head = new HeadOfGroups()
  for (const group of ['ledger', 'state'] as const) {
    head.apply({ group: groupId(group), position: position(9), block: 9, time: 9 })
    head.apply({ group: groupId(group), position: position(10), block: 8, time: 8 })
  }
  expect(head.head).toEqual({ block: 8, time: 8 })
})

test('reports each head, once both groups have announced one', () => {
  const heads: unknown[] = []
  const head = new HeadOfGroups((one) => heads.push(one))
  head.apply({ group: groupId('ledger'), position: position(7), block: 107, time: 1_007 })
  expect(heads).toEqual([])
  head.apply({ group: groupId('state'), position: position(5), block: 105, time: 1_005 })
  head.apply({ group: groupId('state'), position: position(8), block: 108, time: 1_008 })
  expect(heads).toEqual([
    { block: 105, time: 1_005 },
    { block: 107, time: 1_007 },
  ])
})

test('keeps a block without a known time', () => {
  const head = new HeadOfGroups()
  for (const group of ['ledger', 'state'] as const) {
    head.apply({ group: groupId(group), position: position(9), block: 9, time: null })
  }
  expect(head.head).toEqual({ block: 9, time: null })
})

const windowAt = (time: number | null, windowSeconds: number) =>
  throttleWindow(() => ({ block: 1, time }), windowSeconds)()

test('a throttle window lasts the given seconds of chain time', () => {
  expect(windowAt(59, 30)).toBe(1)
  expect(windowAt(60, 30)).toBe(2)
})

test('there is no throttle window without a time, nor of 0 s: stats are as of the head', () => {
  expect(windowAt(null, 30)).toBeNull()
  expect(windowAt(60, 0)).toBeNull()
})
