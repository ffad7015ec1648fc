import { expect, test } from 'vitest'
import type { Standing } from '../../../libs/queries/group-standings.ts'
import { versionsBehind } from './other-versions.ts'

const own = { ledger: 2, state: 1, dimensions: 1 }
const at = (group: Standing['group'], version: number, position: number): Standing => ({
  ...{ group, version, position },
  ...{ block: null, topics: {} },
})

test.each([
  ['nothing is stored', []],
  ['no other version is stored', [at('ledger', 2, 0), at('state', 1, 900)]],
  ['it has what another one has', [at('ledger', 2, 900), at('ledger', 1, 900)]],
  ['it is a few messages behind', [at('ledger', 2, 892), at('ledger', 1, 900)]],
  ['it is ahead, as after a rollback', [at('ledger', 2, 2_000), at('ledger', 1, 900)]],
])('readers may be switched to a release while %s', (_, standings) => {
  expect(versionsBehind(standings, own)).toEqual([])
})

interface FactsOfVersions {
  readonly mine: Readonly<Record<string, number>>
  readonly other: Readonly<Record<string, number>>
  readonly isBehind: boolean
}

test.each<FactsOfVersions>([
  { mine: { a: 1_900, b: 100 }, other: { a: 1_000, b: 1_000 }, isBehind: true },
  { mine: { a: 1_000, b: 1_000 }, other: { a: 1_008, b: 1_008 }, isBehind: false },
  // The topic was replaced since the other one read it.
  { mine: { a: 10 + 2 ** 38 }, other: { a: 900 }, isBehind: false },
  // It was replaced before this one began.
  { mine: { a: 900 }, other: { a: 908 + 2 ** 38 }, isBehind: false },
  { mine: { a: 900 }, other: { a: 909 + 2 ** 38 }, isBehind: true },
  { mine: {}, other: { a: 9 }, isBehind: true },
])('facts are compared topic by topic: $mine, $other', ({ mine, other, isBehind }) => {
  const [one, two] = [at('dimensions', 1, 0), at('dimensions', 2, 0)]
  const standings = [
    { ...two, topics: other },
    { ...one, topics: mine },
  ]
  expect(versionsBehind(standings, own)).toHaveLength(isBehind ? 1 : 0)
})

test('readers stay while any of its versions lacks what another one has', () => {
  const standings = [at('ledger', 3, 7_000), at('ledger', 2, 891), at('ledger', 1, 900)]
  expect(versionsBehind([...standings, at('state', 2, 9)], own)).toEqual([
    'ledger_2 is at 891, ledger_3 at 7000',
    'ledger_2 is at 891, ledger at 900',
    'state is at 0, state_2 at 9',
  ])
})
