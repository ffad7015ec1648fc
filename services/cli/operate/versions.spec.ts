import { expect, test } from 'vitest'
import type { Standing } from '../../../libs/queries/group-standings.ts'
import {
  groupIdOf,
  groupVersions,
  tableNameOf,
} from '../../../libs/tables/declare/group-versions.ts'
import { rowsOf } from './versions.ts'

const own = groupVersions.state
const other = own + 1
const tables = [own, other].map((version) => ({
  name: tableNameOf('holders', 'state', version),
  isView: false,
  bytes: version * 1_000,
}))
const standing = (version: number, position: number): Standing => ({
  ...{ group: 'state', version, position },
  block: position + 5,
  topics: {},
})
const look = (at: number, standings: readonly Standing[]) => ({ at, standings, tables })

test('says how far each version is, how fast it comes nearer, and how large it is', () => {
  const before = look(1_000, [standing(own, 90), standing(other, 800)])
  const rows = rowsOf(before, look(6_000, [standing(own, 100), standing(other, 801)]))
  expect(rows).toEqual([
    {
      ...{ group: 'state', version: other, isOwn: false, position: 801, block: 806, behind: 0 },
      ...{ rate: 0.2, secondsLeft: 0, bytes: other * 1_000 },
    },
    {
      ...{ group: 'state', version: own, isOwn: true, position: 100, block: 105, behind: 701 },
      ...{ rate: 2, secondsLeft: 351, bytes: own * 1_000 },
    },
  ])
})

test(`knows no time of one that stands still: ${groupIdOf('state', own)}`, () => {
  const standings = [standing(other, 800)]
  const [, row] = rowsOf(look(0, standings), look(5_000, standings))
  expect(row).toMatchObject({ position: 0, block: null, behind: 800, rate: 0, secondsLeft: null })
})
