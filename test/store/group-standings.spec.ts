import { afterAll, beforeAll, expect, it } from 'vitest'
import { position } from '../../libs/chain/position.ts'
import { groupIdOf, groupVersions } from '../../libs/tables/declare/group-versions.ts'
import type { Row } from '../../libs/tables/declare/table.ts'
import type { progress } from '../../libs/tables/tables/progress.ts'
import { factVersion } from '../../libs/topics/facts/fact-version.ts'
import { dropVersion } from '../../services/cli/operate/drop.ts'
import {
  storedTables,
  versionsStored,
} from '../../services/cli/operate/versions/stored-versions.ts'
import { versionStandings } from '../../services/cli/serve/other-versions.ts'
import { writeProgress } from '../../services/projector/log-identity/marks.ts'
import { type TestStore, testStore } from '../support/engine.ts'

let opened: TestStore

const row = (group: string, at: number, block: number | null = null): Row<typeof progress> => ({
  ...{ group, position: position(at), blockNumber: block, blockHash: null, timestamp: null },
  ...{ knownFrom: 0, logHash: null, isDeleted: 0 },
})

/** That of a later release. */
const later = groupVersions.state + 1
const [second, third] = [groupIdOf('state', later), groupIdOf('dimensions', 3)]
const [table, view] = [`holders_${second}`, `readable_gone_${second}`]

beforeAll(async () => {
  opened = await testStore()
  await writeProgress(opened.store, [
    row('ledger', 40, 7),
    row('state', 30, 6),
    row('state|first', 1),
  ])
  await writeProgress(opened.store, [
    ...[
      row('ledger', 41, 8),
      row('ledger|ahead', 45),
      row(second, 12, 3),
      row(`${second}|first`, 1),
    ],
    row(third, 1e9),
    row(`${third}|token-facts`, factVersion({ epoch: 2, offset: 5 })),
    row(`${third}|coin-prices`, factVersion({ epoch: 0, offset: 6 })),
    row(`${third}|coin-prices|first`, 1),
    row('strangers', 99),
  ])
  await opened.store.execute(`CREATE TABLE ${table} (n UInt8) ENGINE = MergeTree ORDER BY n`)
  await opened.store.execute(`CREATE VIEW ${view} AS SELECT n FROM ${table}`)
})
afterAll(() => opened.drop())

it('tells how far each version is; of dimensions in offsets, whatever their epochs are', async () => {
  expect(await versionStandings(opened.store)).toEqual([
    { group: 'ledger', version: 1, position: 41, block: 8, topics: {} },
    { group: 'state', version: later, position: 12, block: 3, topics: {} },
    { group: 'state', version: 1, position: 30, block: 6, topics: {} },
    {
      ...{ group: 'dimensions', version: 3, position: 11, block: null },
      topics: {
        'token-facts': factVersion({ epoch: 2, offset: 5 }),
        'coin-prices': factVersion({ epoch: 0, offset: 6 }),
      },
    },
  ])
})

it('forgets a version that is dropped, and leaves the others', async () => {
  const of = { group: 'state', version: later, cluster: '' } as const
  expect(await dropVersion(opened.store, of)).toEqual([view, table])
  expect(versionsStored(await storedTables(opened.store), 'state')).toEqual([groupVersions.state])
  const left = (await versionStandings(opened.store)).map(({ group, version }) => [group, version])
  expect(left).toEqual([
    ['ledger', 1],
    ['state', 1],
    ['dimensions', 3],
  ])
  const names = await opened.store.query(
    'SELECT group FROM progress WHERE startsWith(group, {id:String})',
    { id: second },
  )
  expect(names).toHaveLength(0)
  expect(await dropVersion(opened.store, of)).toEqual([])
})
