import { expect, test } from 'vitest'
import { bucketOf } from '../../libs/topics/changes.ts'
import { Moved } from './moved.ts'
import { Remembered } from './remembered.ts'

const family = 'token_state'

function remembering(rows: Map<string, object>, during = () => {}) {
  const moved = new Moved([family])
  const asked: string[][] = []
  const remembered = new Remembered<string, object>({
    family,
    moved,
    rowsMax: 2,
    async ask(subjects) {
      asked.push([...subjects])
      during()
      return rows
    },
  })
  const move = (subject: string) => moved.hear({ moved: { [family]: [bucketOf(subject)] } })
  return { remembered, asked, move }
}

test('asks each subject once, and remembers that one is not there', async () => {
  const { remembered, asked } = remembering(new Map([['a', { n: 1 }]]))
  expect([...(await remembered.get(['a', 'b', 'a'])).keys()]).toEqual(['a'])
  expect([...(await remembered.get(['b', 'a'])).keys()]).toEqual(['a'])
  expect(asked).toEqual([['a', 'b']])
})

test('asks again for what has moved since, and for that only', async () => {
  const { remembered, asked, move } = remembering(new Map())
  await remembered.get(['a', 'b'])
  move('b')
  await remembered.get(['a', 'b'])
  expect(asked).toEqual([['a', 'b'], ['b']])
})

test('does not trust what was read while it moved', async () => {
  let move = () => {}
  const { remembered, asked, ...rest } = remembering(new Map(), () => move())
  move = () => rest.move('a')
  await remembered.get(['a'])
  move = () => {}
  await remembered.get(['a'])
  await remembered.get(['a'])
  expect(asked).toHaveLength(2)
})

test('forgets the least recently used beyond its bound', async () => {
  const { remembered, asked } = remembering(new Map())
  await remembered.get(['a', 'b', 'c'])
  await remembered.get(['a'])
  expect(asked).toHaveLength(2)
})
