import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTable, createView, readableName } from '../../deploy/print/store-page.ts'
import type { Store } from '../../libs/ports/store.ts'
import { RowSource } from '../../libs/tables/declare/row-binary.ts'
import { type Migration, migrate, migrationsOf } from '../../libs/tables/migrate.ts'
import { allTables } from '../../libs/tables/tables/all-tables.ts'
import { type TestStore, testStore } from '../support/engine.ts'

let opened: TestStore
let store: Store

beforeAll(async () => {
  opened = await testStore()
  store = opened.store
})
afterAll(() => opened.drop())

const textsOf = (bytes: Buffer): string[] => {
  const source = new RowSource(bytes)
  const texts: string[] = []
  while (!source.done) texts.push(source.text())
  return texts
}

const texts = async (sql: string) => textsOf(await store.query(sql, {}))

/** The engine's own words for a table, but for its name and place. */
const liveForm = async (table: string) => {
  const [form] = await texts(
    `SELECT create_table_query FROM system.tables
     WHERE database = currentDatabase() AND name = '${table}'`,
  )
  return form?.replace(/^CREATE TABLE \S+/, '')
}

describe('after all migrations', () => {
  it('the tables are those that are declared', async () => {
    const live = await texts(
      'SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name',
    )
    const besides = ['migrations', 'deployment']
    const views = allTables.filter((table) => createView(table) !== null)
    const names = [
      ...allTables.map(({ name }) => name),
      ...views.map(({ name }) => readableName(name)),
    ]
    const declared = [...names, ...besides].sort()
    expect(live).toEqual(declared)
  })

  it.each(allTables.map((table) => [table.name, table] as const))(
    '%s has the columns, types, codecs, key, engine and settings that are declared',
    async (name, table) => {
      const declared = createTable({ ...table, name: `declared_${name}` })
      await store.execute(declared)
      expect(await liveForm(name)).toBe(await liveForm(`declared_${name}`))
      await store.execute(`DROP TABLE declared_${name}`)
    },
  )

  it('holders lie greatest band first', async () => {
    expect(await liveForm('holders')).toContain(
      '(token, band DESC, holder DESC, part, tokenId DESC)',
    )
  })
})

describe('migrations', () => {
  const known = migrationsOf()
  const later: Migration = {
    number: known.length + 1,
    name: 'later',
    sql: 'CREATE TABLE later_one (n UInt8) ENGINE = Memory;\n\nCREATE TABLE later_two (n UInt8) ENGINE = Memory;\n',
  }

  it('do nothing when they are applied already', async () => {
    expect(await migrate(store, known)).toEqual([])
  })

  it('apply what is missing, even where a crash had left a part of it', async () => {
    const other = await testStore()
    await other.store.execute('CREATE TABLE later_one (n UInt8) ENGINE = Memory')
    expect(await migrate(other.store, [...known, later])).toEqual(['later'])
    expect(await migrate(other.store, [...known, later])).toEqual([])
    await other.store.query('SELECT n FROM later_two', {})
    await other.drop()
  })

  it('refuse tables of a newer version', async () => {
    const other = await testStore()
    await migrate(other.store, [...known, later])
    await expect(migrate(other.store, known)).rejects.toThrow(
      `the tables are of version ${later.number}, this Foldscan knows them up to version ${known.length}`,
    )
    await other.drop()
  })

  it('refuse tables that were made by another text', async () => {
    const changed = known.map((migration) => ({
      ...migration,
      sql: `${migration.sql}\n-- changed`,
    }))
    await expect(migrate(store, changed)).rejects.toThrow(
      'a different version of migration 0001-tables',
    )
  })
})
