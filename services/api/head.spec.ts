import { expect, test } from 'vitest'
import { position } from '../../libs/chain/position.ts'
import { HeadOfGroups } from './head.ts'

test('has a head once both groups have spoken: the lower of theirs', () => {
  const head = new HeadOfGroups()
  head.hear({ group: 'ledger', position: position(7), block: 107, time: 1_007 })
  head.hear({ group: 'dimensions', position: position(1), block: null, time: null })
  expect(head.head).toBeNull()
  head.hear({ group: 'state', position: position(5), block: 105, time: 1_005 })
  expect(head.head).toEqual({ block: 105, time: 1_005 })
  expect(head.position).toBe(5)
})

test('is not led back by what is told late', () => {
  const head = new HeadOfGroups()
  for (const at of [9, 8]) {
    head.hear({ group: 'ledger', position: position(at), block: at, time: at })
    head.hear({ group: 'state', position: position(at), block: at, time: at })
  }
  expect(head.head).toEqual({ block: 9, time: 9 })
})

test('goes back with the groups when blocks are orphaned', () => {
  const head = new HeadOfGroups()
  for (const group of ['ledger', 'state'] as const) {
    head.hear({ group, position: position(9), block: 9, time: 9 })
    head.hear({ group, position: position(10), block: 8, time: 8 })
  }
  expect(head.head).toEqual({ block: 8, time: 8 })
})

test('keeps a block whose time nobody told', () => {
  const head = new HeadOfGroups()
  for (const group of ['ledger', 'state'] as const) {
    head.hear({ group, position: position(9), block: 9, time: null })
  }
  expect(head.head).toEqual({ block: 9, time: null })
})
