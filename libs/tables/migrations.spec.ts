import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { migrationsOf } from './migrate.ts'

/** SHA-256 of the text of each migration that has landed; a new one is added with its own line. */
const landed: Readonly<Record<string, string>> = {
  '0001-tables': '04eed1d91853d9977662401197b00373d586df3c330fd9209043e7837f2f3931',
}

test('a migration that has landed is never edited: tables out there were made by it', () => {
  const digests = migrationsOf().map(({ name, sql }) => [
    name,
    createHash('sha256').update(sql).digest('hex'),
  ])
  expect(Object.fromEntries(digests)).toEqual(landed)
})
