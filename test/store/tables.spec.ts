import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../libs/ports/store.ts'
import { createView, readableName } from '../../libs/tables/declare/ddl.ts'
import { RowSource } from '../../libs/tables/declare/row-binary.ts'
import { migrate, notMigrated } from '../../libs/tables/migrate.ts'
import { allTables } from '../../libs/tables/tables/all-tables.ts'
import { balances } from '../../libs/tables/tables/balances.ts'
import { holders } from '../../libs/tables/tables/holders.ts'
import { transactions } from '../../libs/tables/tables/transactions.ts'
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

describe('after migrate', () => {
  it('the tables are those that are declared', async () => {
    const live = await texts(
      'SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name',
    )
    const views = allTables.filter((table) => createView(table) !== null)
    const names = [
      ...allTables.map(({ stored }) => stored),
      ...views.map(({ stored }) => readableName(stored)),
      'deployment',
    ]
    expect(live).toEqual(names.sort())
  })

  it('nothing is missing', async () => {
    expect(await notMigrated(store)).toEqual([])
    expect(await migrate(store)).toEqual([])
  })

  it('holders lie greatest band first', async () => {
    expect(await liveForm(holders.stored)).toContain(
      '(token, band DESC, holder DESC, part, tokenId DESC)',
    )
  })
})

describe('migrate makes what is missing', () => {
  let other: TestStore
  const execute = (sql: string) => other.store.execute(sql)
  const formsOf = async () => {
    const forms = await textsOf(
      await other.store.query(
        `SELECT name || ' ' || replaceRegexpOne(create_table_query, '^\\w+ \\w+ \\S+', '')
         FROM system.tables WHERE database = currentDatabase() ORDER BY name`,
        {},
      ),
    )
    return forms.map((form) => form.replaceAll(`${other.database}.`, ''))
  }
  let declared: string[]

  beforeAll(async () => {
    other = await testStore()
    declared = await formsOf()
  })
  afterAll(() => other.drop())

  const { stored } = transactions
  const view = readableName(stored)

  it.each([
    ['a table', [`DROP TABLE ${holders.stored}`], [`table ${holders.stored}`]],
    ['a view', [`DROP VIEW ${view}`], [`view ${view}`]],
    ['the claim', ['DROP TABLE deployment'], ['table deployment']],
    [
      'a column, in its place, with its codec',
      [`ALTER TABLE ${balances.stored} DROP COLUMN observedAt`],
      [`column ${balances.stored}.observedAt`],
    ],
    [
      'columns, and the view that shows them',
      [`ALTER TABLE ${stored} DROP COLUMN extras`, `ALTER TABLE ${stored} DROP COLUMN input`],
      [`column ${stored}.input`, `column ${stored}.extras`, `view ${view}`],
    ],
    [
      'a setting that tables of the first release had not',
      [
        'ALTER TABLE prices RESET SETTING primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns',
      ],
      ['settings of prices'],
    ],
  ])('%s', async (_, statements, made) => {
    for (const statement of statements) await execute(statement)
    expect(await notMigrated(other.store)).toEqual(made)
    expect(await migrate(other.store)).toEqual(made)
    expect(await formsOf()).toEqual(declared)
  })

  it('beside what newer releases and operators have made', async () => {
    await execute('CREATE TABLE holders_2 (n UInt8) ENGINE = Memory')
    await execute('ALTER TABLE prices ADD COLUMN later Nullable(String)')
    expect(await migrate(other.store)).toEqual([])
  })

  it.each([
    {
      changes: ['ALTER TABLE prices MODIFY COLUMN price Nullable(String)'],
      refusal: 'column prices.price is of type Nullable(String), not String',
      undo: 'DROP TABLE prices',
    },
    {
      changes: [
        'DROP TABLE signatures',
        'CREATE TABLE signatures (selector String) ENGINE = MergeTree ORDER BY selector',
      ],
      refusal: 'table signatures is sorted by (selector), not by (selector, since, form)',
      undo: 'DROP TABLE signatures',
    },
  ])('and refuses tables of another form: $refusal', async ({ changes, refusal, undo }) => {
    for (const change of [...changes, `DROP TABLE ${holders.stored}`]) await execute(change)
    await expect(notMigrated(other.store)).rejects.toThrow(refusal)
    await expect(migrate(other.store)).rejects.toThrow(refusal)
    // Nothing has been made.
    expect((await formsOf()).some((form) => form.startsWith(`${holders.stored} `))).toBe(false)
    await execute(undo)
    expect(await migrate(other.store)).toContain(`table ${holders.stored}`)
  })
})
