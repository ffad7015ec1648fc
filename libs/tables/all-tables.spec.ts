import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { allTables } from './all-tables.ts'
import { migrationsOf, statementsOf } from './migrate.ts'
import { storePage } from './store-page.ts'

const page = readFileSync(new URL('./STORE.md', import.meta.url), 'utf8')

it('the page of all tables is the one that is printed: run npm run print', () => {
  expect(page).toBe(storePage(allTables))
})

// With the engine at hand test/store/tables.spec.ts compares types, keys and settings too.
it.each(allTables.map((table) => [table.name, table] as const))(
  'migrations make %s and all of its columns',
  (name, table) => {
    const about = new RegExp(`^(CREATE|ALTER) TABLE ${name}\\s`)
    const statements = migrationsOf()
      .flatMap(({ sql }) => statementsOf(sql))
      .map((statement) => statement.replace('IF NOT EXISTS ', '').replace(/^--.*\n/gm, ''))
      .filter((statement) => about.test(statement))
    const made = statements.join('\n')
    const missing = Object.keys(table.storedColumns).filter(
      (column) => !made.includes(`\`${column}\``),
    )
    expect(missing).toEqual([])
  },
)

it('tables of one set of shared columns begin an insert with all of them', () => {
  const sharing = allTables.filter(({ shared }) => shared !== undefined)
  expect(sharing.map(({ name }) => name).sort()).toEqual([
    'logs_by_address',
    'logs_by_transaction',
    'transactions',
    'transactions_by_address',
    'transactions_by_fee',
    'transactions_by_value',
    'transfers_by_token',
    'transfers_by_transaction',
  ])
  for (const { shared, packed, columnsInParts } of sharing) {
    const isPacked = (name: string) => name in { ...packed }
    const all = Object.keys({ ...shared }).map((name) => (isPacked(name) ? 'body' : name))
    const names = [...new Set(all)]
    expect(columnsInParts.slice(0, names.length)).toEqual(names)
  }
})
