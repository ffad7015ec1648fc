import { writeFileSync } from 'node:fs'
import { createTable } from '../tables/ddl.ts'
import { readModels } from './registry.ts'

/** Statements that make every table as it is declared now: the text of a migration. */
export const tablesNow = (): string =>
  readModels.map(({ table }) => `${createTable(table)};\n`).join('\n')

// Run as a program: the first migration, as long as it has not landed.
if (process.argv[1]?.endsWith('print-tables.ts')) {
  writeFileSync(new URL('../tables/migrations/0001-first-tables.sql', import.meta.url), tablesNow())
}
