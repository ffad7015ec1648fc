import { afterAll, beforeAll, expect, it } from 'vitest'
import { address } from '../../libs/chain/hex.ts'
import { position } from '../../libs/chain/position.ts'
import { createTable, createView, readableName } from '../../libs/tables/declare/ddl.ts'
import { groupVersions, tableNameOf } from '../../libs/tables/declare/group-versions.ts'
import { foldedTables } from '../../libs/tables/tables/all-tables.ts'
import { holders } from '../../libs/tables/tables/holders.ts'
import { compareVersions } from '../../services/cli/operate/versions/compare-versions.ts'
import { type TestStore, testStore } from '../support/engine.ts'
import { insertRows } from '../support/insert-rows.ts'

const own = groupVersions.state
const next = own + 1
const token = (number: number) =>
  address(`0x${number.toString(16).padStart(4, '0')}${'0'.repeat(36)}`)
const count = 400

let opened: TestStore

const compared = async () => {
  const of = { group: 'state', versions: [own, next], sample: 100 } as const
  return await compareVersions(opened.store, of)
}
const nextOf = (name: string) => tableNameOf(name, 'state', next)

beforeAll(async () => {
  opened = await testStore()
  const { store } = opened
  const rows = Array.from({ length: count }, (_, at) => ({
    ...{ token: token(at * 163), band: 1, holder: token(at), part: 0, tokenId: 0n },
    ...{ value: BigInt(at), observedAt: 0, position: position(at + 1), isDeleted: 0 },
  }))
  await insertRows(store, holders, rows)
  // Of another version, in another order of parts; the older row of a key does not count.
  for (const table of foldedTables.filter(({ group }) => group === 'state')) {
    const stored = nextOf(table.name)
    await store.execute(createTable({ ...table, stored }))
    const view = createView({ ...table, stored })
    if (view !== null) await store.execute(view)
  }
  await insertRows(store, { ...holders, stored: nextOf('holders') }, rows.slice(200))
  await insertRows(store, { ...holders, stored: nextOf('holders') }, rows.slice(0, 200))
})
afterAll(() => opened.drop())

it('finds versions with the same rows equal', async () => {
  const tables = await compared()
  const names = foldedTables.flatMap(({ group, name }) => (group === 'state' ? name : []))
  expect(tables.map(({ table }) => table)).toEqual(names)
  expect(tables.find(({ table }) => table === 'holders')).toMatchObject({
    ...{ rows: [count, count], columns: Object.keys(holders.allColumns).length, differing: [] },
  })
  expect(tables.find(({ table }) => table === 'holders')?.subjects).toBeGreaterThan(90)
  expect(tables.every(({ differing }) => differing.length === 0)).toBe(true)
})

it('finds a planted difference, in a value or of a row', async () => {
  const { store } = opened
  // One of those that a sample of a hundred takes.
  const at = 49
  const changed = {
    ...{ token: token(at * 163), band: 1, holder: token(at), part: 0, tokenId: 0n },
    ...{ value: BigInt(at + 1), observedAt: 0, position: position(at + 2), isDeleted: 0 },
  }
  await insertRows(store, { ...holders, stored: nextOf('holders') }, [changed])
  await store.execute(`DROP TABLE ${nextOf('balances')}`)
  const tables = await compared()
  const of = (name: string) => tables.find(({ table }) => table === name)
  expect(of('holders')).toMatchObject({ rows: [count, count] })
  const hex = token(at * 163)
    .slice(2)
    .toUpperCase()
  expect(of('holders')?.differing).toEqual([hex])
  expect(of('balances')).toMatchObject({ rows: [0, null], subjects: 0 })
})

it('has a view for each body', () => {
  const packed = foldedTables.filter((table) => createView(table) !== null)
  expect(packed.map(({ stored }) => readableName(stored))).toHaveLength(6)
})
