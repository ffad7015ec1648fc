import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allTables } from '../../tables/tables/all-tables.ts'
import { checkedReplica, tablesIn } from './replica-condition.ts'

const folder = join(import.meta.dirname, '../../queries')
const statements = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.sql'))
  .map((file): [string, string] => [file, readFileSync(join(folder, file), 'utf8')])
const names = allTables.map(({ name }) => name)
const whole = new Map(names.map((name) => [name, [`server/${name}`]]))

/** Contract 72: a table that is not known would make a query unavailable on each cluster. */
describe.each(statements)('the condition on the replica that answers %s', (_file, sql) => {
  it('is on the tables that it reads', () => {
    const tables = tablesIn(sql)
    expect(tables.length).toBeGreaterThan(0)
    expect(tables.filter((name) => !names.includes(name))).toEqual([])
    const checked = checkedReplica(sql, { limit: 1 }, whole)
    expect(checked?.sql).toContain('throwIf(')
    expect(checked?.parameters).toMatchObject({
      limit: 1,
      checkedTables: tables,
      wholeReplicas: tables.map((name) => `server/${name}`),
    })
  })

  it('lets no replica answer where none has all of one of them', () => {
    const [first = ''] = tablesIn(sql)
    expect(checkedReplica(sql, {}, new Map([...whole, [first, []]]))).toBeNull()
  })
})
