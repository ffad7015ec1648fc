import { createHash } from 'node:crypto'
import { describe, expect, it, test } from 'vitest'
import { migrationsOf, onCluster, statementsOf } from './migrate.ts'

/**
 * SHA-256 of the text of each migration that has landed; a new one is added with its own line. That
 * of the first one changed when transactions and transfers got their body, before the first
 * release: `migrate` refuses tables of before, and nothing converts them.
 */
const landed: Readonly<Record<string, string>> = {
  '0001-tables': '96507e3f7c0170972cb69fe79840b6a50de9f719581f20c6c1a442c44817be8c',
  '0002-whole-index': '2350ae9f7996eaf1430a3df5985e2013bf82277ac93aec8c9bcc57f6b767317f',
  '0003-readable-views': '8b915eb5cdf3e1498df5fda9b0cfb4990f2f1084d473d7138a3b0142e2ae06a5',
  '0004-doubt': '264f84f1f1d3fdc7bbf1af86a7c9d2eb5ca6a11fdbf923ff6451b7defe1fedb7',
  '0005-extras': '55d3d044feab1c53382983d64bc9d50d70d345c7d5c8c27bf74f29770a91da1a',
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
  const drops = statements.filter((statement) => /^DROP VIEW /m.test(statement))
  const views = statements.filter((statement) => /^CREATE VIEW /m.test(statement))

  it('each table of every migration is made on all servers, replicated', () => {
    const others = [...alters, ...views, ...drops]
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
    expect(views).toHaveLength(10)
    for (const statement of views) {
      expect(onCluster(statement, 'main')).toMatch(
        /^CREATE VIEW IF NOT EXISTS readable_\w+ ON CLUSTER `main` AS$/m,
      )
    }
  })

  it('and replaced on all of them', () => {
    expect(drops).toHaveLength(4)
    for (const statement of drops) {
      expect(onCluster(statement, 'main')).toMatch(
        /^DROP VIEW IF EXISTS readable_\w+ ON CLUSTER `main`$/m,
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
