import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { printStore, printTables } from './print-store.ts'

const textOf = (path: string) => readFileSync(new URL(`../tables/${path}`, import.meta.url), 'utf8')

it('the page of all tables is the one that is printed: run npm run print', () => {
  expect(textOf('STORE.md')).toBe(printStore())
})

// Goes when the second migration comes; test/store/tables.spec.ts holds for all of them.
it('the first migration makes the tables that are declared', () => {
  expect(textOf('migrations/0001-first-tables.sql')).toBe(printTables())
})
