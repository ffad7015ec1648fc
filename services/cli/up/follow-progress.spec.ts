import { expect, test } from 'vitest'
import type { IndexedReach } from './console-ui.ts'
import { indexedOnce } from './follow-progress.ts'

function said(endsAtHead: boolean | null) {
  const reached: IndexedReach[] = []
  let isDone = false
  const ui = { indexed: (reach: IndexedReach) => void reached.push(reach) }
  const see = indexedOnce({ endsAtHead: () => endsAtHead, isFinished: () => isDone, ui })
  const finish = () => {
    isDone = true
  }
  return { reached, see, finish }
}

test('says that a chain is indexed once it is, and again only after it was far behind', () => {
  const { reached, see } = said(false)
  see(5, 100)
  see(99, 100)
  expect(reached).toEqual([])
  see(100, 100)
  see(100, 101)
  see(101, 101)
  expect(reached).toEqual([{ block: 100, isFinal: false }])
  see(101, 110)
  see(110, 110)
  expect(reached.at(-1)).toEqual({ block: 110, isFinal: false })
  expect(reached).toHaveLength(2)
})

test('says that a folder is indexed when all groups have read all of it, and that it ends', () => {
  const { reached, see, finish } = said(true)
  see(12, 12)
  expect(reached).toEqual([])
  finish()
  see(12, 12)
  see(12, 12)
  expect(reached).toEqual([{ block: 12, isFinal: true }])
})

test('says nothing of the source before it has opened', () => {
  const { reached, see, finish } = said(null)
  finish()
  see(12, 12)
  expect(reached).toEqual([])
})
