import { expect, test } from 'vitest'
import type { ExpectedList } from './lists.ts'
import { isDue, shortWalks } from './plan.ts'

const rounds = [0, 1, 2, 3].map((nth) => ({ seed: 7, nth, last: 3 }))

/** A list of 60 items, the `n`th variant of `of`, or the one without parameters. */
const listOf = (name: string, variant: ExpectedList['variant'] = null): ExpectedList => ({
  path: `/${name}`,
  parameters: variant === null ? {} : { variant: `${variant.n}` },
  variant,
  isBusiest: false,
  facts: Array.from({ length: 60 }, (_, n) => ({ n })),
  factOf: () => ({}),
})

test.each([1, 2, 3, 7])('walks each of %i variants first and after a reorganisation', (of) => {
  for (let n = 0; n < of; n++) {
    const due = rounds.filter((round) => isDue(listOf('list', { n, of }), round))
    expect(due[0]?.nth).toBe(0)
    expect(due.length).toBeGreaterThan(1)
  }
})

test('takes the list without parameters, and all of the busiest, every time', () => {
  const busiest = { ...listOf('list', { n: 5, of: 7 }), isBusiest: true }
  for (const list of [listOf('list'), busiest]) {
    expect(rounds.filter((round) => isDue(list, round))).toEqual(rounds)
  }
})

test('takes each page size that cuts a list once in four checks, the busiest every time', () => {
  const sizes = rounds.flatMap((round) =>
    shortWalks(listOf('list'), round, []).map(({ itemsCount }) => itemsCount),
  )
  expect(new Set(sizes)).toEqual(new Set([1, 7, 50, null]))
  for (const round of rounds) {
    expect(shortWalks({ ...listOf('list'), isBusiest: true }, round, [])).toHaveLength(4)
  }
})

test('walks one variant of each subject in short pages, another for another subject', () => {
  const [round] = rounds
  if (!round) throw new Error('no round')
  const short = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) =>
    [0, 1, 2].filter((n) => shortWalks(listOf(name, { n, of: 3 }), round, []).length > 0),
  )
  for (const chosen of short) expect(chosen).toHaveLength(1)
  expect(new Set(short.flat())).toEqual(new Set([0, 1, 2]))
})

test('begins short walks at places of all kinds', () => {
  const place = { cursor: {}, itemsBefore: 50 }
  const walks = Array.from({ length: 40 }, (_, n) => `${n}`).flatMap((name) =>
    rounds.flatMap((round) => shortWalks(listOf(name), round, [place])),
  )
  const jumping = walks.filter(({ itemsCount }) => itemsCount !== null)
  expect(new Set(jumping.map(({ from }) => from))).toEqual(new Set([undefined, place]))
  expect(new Set(jumping.map(({ firstItemsCount }) => firstItemsCount)).size).toBeGreaterThan(30)
  expect(new Set(walks.map(({ nullForms }) => nullForms[0])).size).toBe(3)
})
