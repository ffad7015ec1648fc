import { describe, expect, it } from 'vitest'
import { addColumn, createTable, createView, modifySettings } from './declare/ddl.ts'
import { createDeployment } from './deployment.ts'
import { onCluster } from './migrate.ts'
import { allTables } from './tables/all-tables.ts'
import { holders } from './tables/holders.ts'

const creates = [...allTables.map(createTable), createDeployment]
const views = allTables.flatMap((table) => createView(table) ?? [])
const alters = [addColumn(holders, 'value'), modifySettings('holders', ['a = 1', 'b = 2'])]

describe('on a cluster', () => {
  it.each(creates)('a table is made on all servers, replicated: %s', (statement) => {
    const clustered = onCluster(statement, 'main')
    expect(clustered).toMatch(/^CREATE TABLE IF NOT EXISTS \w+ ON CLUSTER `main` \($/m)
    expect(clustered).toMatch(/^ENGINE = Replicated(?:Replacing)?MergeTree\b/m)
    expect(clustered).toMatch(/^SETTINGS\n {2}replicated_deduplication_window = 0,\n/m)
  })

  it.each(views)('a view as well: %s', (statement) => {
    expect(onCluster(statement, 'main')).toMatch(
      /^CREATE VIEW IF NOT EXISTS readable_\w+ ON CLUSTER `main` AS$/m,
    )
  })

  it.each(['VIEW', 'TABLE'])('a %s is dropped on all of them', (kind) => {
    expect(onCluster(`DROP ${kind} IF EXISTS it SYNC`, 'main')).toBe(
      `DROP ${kind} IF EXISTS it ON CLUSTER \`main\` SYNC`,
    )
  })

  it('they are changed on all of them, again and again without harm', () => {
    expect(alters.map((statement) => onCluster(statement, 'main'))).toEqual([
      `ALTER TABLE ${holders.stored} ON CLUSTER \`main\` ADD COLUMN IF NOT EXISTS \`value\` UInt256 AFTER \`tokenId\``,
      'ALTER TABLE holders ON CLUSTER `main` MODIFY SETTING a = 1, b = 2',
    ])
  })

  it('rows are still replaced by position and tombstone', () => {
    expect(onCluster(createTable(holders), 'main')).toContain(
      'ENGINE = ReplicatedReplacingMergeTree(position, isDeleted)',
    )
  })

  it.each([...creates, ...views, ...alters])('is as it was without one: %s', (statement) => {
    expect(onCluster(statement, '')).toBe(statement)
  })

  it('the database is made everywhere', () => {
    expect(onCluster('CREATE DATABASE IF NOT EXISTS `d` ENGINE = Atomic', 'main')).toBe(
      'CREATE DATABASE IF NOT EXISTS `d` ON CLUSTER `main` ENGINE = Atomic',
    )
  })
})
