import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { migrationsOf, statementsOf } from '../tables/migrate.ts'
import { printStore, readModels } from './registry.ts'

const textOf = (path: string) => readFileSync(new URL(`../tables/${path}`, import.meta.url), 'utf8')

it('the page of all tables is the one that is printed: run npm run print', () => {
  expect(textOf('STORE.md')).toBe(printStore())
})

// With the engine at hand test/store/tables.spec.ts compares types, keys and settings too.
it.each(readModels.map(({ table }) => [table.name, table] as const))(
  'migrations make %s and all of its columns',
  (name, table) => {
    const about = new RegExp(`^(CREATE|ALTER) TABLE ${name}\\s`)
    const statements = migrationsOf()
      .flatMap(({ sql }) => statementsOf(sql))
      .map((statement) => statement.replace('IF NOT EXISTS ', '').replace(/^--.*\n/gm, ''))
      .filter((statement) => about.test(statement))
    const made = statements.join('\n')
    const missing = Object.keys(table.allColumns).filter(
      (column) => !made.includes(`\`${column}\``),
    )
    expect(missing).toEqual([])
  },
)
