import { createHash } from 'node:crypto'
import { describe, expect, it, test } from 'vitest'
import { migrationsOf, onCluster, statementsOf } from './migrate.ts'

/**
 * SHA-256 of the text of each migration that has landed; a new one is added with its own line. Of
 * the first one it changed when transactions got their body: before the first release, so that
 * `migrate` refuses tables of before, and nothing converts them.
 */
const landed: Readonly<Record<string, string>> = {
  '0001-tables': '00d411b7a807d0c9c5b5a40004b358760ec1f35e2288404e22e7f3fa1a187903',
  '0002-whole-index': '2350ae9f7996eaf1430a3df5985e2013bf82277ac93aec8c9bcc57f6b767317f',
  '0003-readable-views': '4c1f5a84916187b993feeb60d549ec8cc431196139b3bab23bed8d7d6a0d6680',
}

test('a migration that has landed is never edited: tables out there were made by it', () => {
  const digests = migrationsOf().map(({ name, sql }) => [
    name,
    createHash('sha256').update(sql).digest('hex'),
  ])
  expect(Object.fromEntries(digests)).toEqual(landed)
})

/** As a later migration changes a table, after a comment. */
const addColumn =
  '-- Why it is needed.\nALTER TABLE holders ADD COLUMN IF NOT EXISTS `rank` UInt64 AFTER `value`'
const migrated = migrationsOf().flatMap(({ sql }) => statementsOf(sql))
const statements = [...migrated, ...statementsOf(`${addColumn};\n`)]

describe('on a cluster', () => {
  const alters = statements.filter((statement) => /^ALTER /m.test(statement))
  const views = statements.filter((statement) => /^CREATE VIEW /m.test(statement))

  it('each table of every migration is made on all servers, replicated', () => {
    const others = [...alters, ...views]
    const creates = statements.filter((statement) => !others.includes(statement))
    expect(creates.length).toBeGreaterThan(20)
    for (const statement of creates) {
      const clustered = onCluster(statement, 'main')
      expect(clustered).toMatch(/^CREATE TABLE IF NOT EXISTS \w+ ON CLUSTER `main` \($/m)
      expect(clustered).toMatch(/^ENGINE = Replicated(?:Replacing)?MergeTree\b/m)
      expect(clustered).toMatch(/^SETTINGS\n {2}replicated_deduplication_window = 0,\n/m)
    }
  })

  it('each view as well', () => {
    expect(views).toHaveLength(4)
    for (const statement of views) {
      expect(onCluster(statement, 'main')).toMatch(
        /^CREATE VIEW IF NOT EXISTS readable_\w+ ON CLUSTER `main` AS$/m,
      )
    }
  })

  it('and changed on all of them, again and again without harm', () => {
    expect(alters).toContain(addColumn)
    for (const statement of alters) {
      expect(onCluster(statement, 'main')).toMatch(
        /^ALTER TABLE \w+ ON CLUSTER `main` (?:ADD COLUMN IF NOT EXISTS |MODIFY SETTING$)/m,
      )
    }
  })

  it('rows are still replaced by position and tombstone', () => {
    const [table = ''] = statements
    expect(onCluster(table, 'main')).toContain(
      'ENGINE = ReplicatedReplacingMergeTree(position, isDeleted)',
    )
  })

  it('a statement is as it was where there is no cluster', () => {
    for (const statement of statements) expect(onCluster(statement, '')).toBe(statement)
  })

  it('the database is made everywhere', () => {
    expect(onCluster('CREATE DATABASE IF NOT EXISTS `d` ENGINE = Atomic', 'main')).toBe(
      'CREATE DATABASE IF NOT EXISTS `d` ON CLUSTER `main` ENGINE = Atomic',
    )
  })
})
