import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { addressLabels } from '../tables/address-labels.ts'
import { tokenState } from '../tables/token-state.ts'
import { query } from './query.ts'
import { ruleViolations } from './query-rules.ts'
import { declaredQueries as declared } from './testing/declared-queries.ts'

const files = readdirSync(new URL('./', import.meta.url))

/** Rows that these find are checked against all versions of their keys; the .sql says so. */
const checkedAfterwards: Readonly<Record<string, readonly string[]>> = {
  'tokens-of-address-skipping': ['isDeleted'],
  'nfts-of-address-skipping': ['isDeleted'],
  'holders-skipping': ['isDeleted'],
  'transfers-of-tokens': ['isDeleted', 'token'],
  'holders-of-band': ['isDeleted', 'value'],
  'holders-greatest': ['value'],
}

describe('the rules of reading', () => {
  test('every .sql file is declared by a query', () => {
    const written = files.filter((file) => file.endsWith('.sql'))
    expect(written.map((file) => file.replace('.sql', '')).sort()).toEqual(
      declared.map(({ name }) => name).sort(),
    )
  })

  test.each(declared)('$name keeps them', ({ name, sql, key }) => {
    expect(ruleViolations(sql, [...key, ...(checkedAfterwards[name] ?? [])])).toEqual([])
  })

  test.each(Object.keys(checkedAfterwards))('%s tells why it may look at more', (name) => {
    expect(declared.find((one) => one.name === name)?.sql).toMatch(
      /^-- [\s\S]*tombstones|^-- [\s\S]*checked against/,
    )
  })
})

describe('a breach is seen', () => {
  const key = ['holder', 'value']
  test.each([
    ['SELECT a FROM t FINAL WHERE holder = {h:String} LIMIT 1', 'uses FINAL'],
    ['SELECT a FROM t WHERE isDeleted = 0 LIMIT 1', 'WHERE names isDeleted, which is no key'],
    [
      'SELECT a FROM t WHERE holder = {h:String} ORDER BY a LIMIT 1',
      'ORDER BY names a, which is no key',
    ],
    ['SELECT a FROM t WHERE (holder, value) < ({h:String}, 1) LIMIT 1', 'compares tuples'],
    ['SELECT a FROM t WHERE holder = {h:String}', 'has neither a LIMIT nor a list of keys'],
    ["SELECT a FROM t WHERE holder = 'aa' LIMIT 1", 'pastes a value'],
    [
      'SELECT a FROM t WHERE holder = {h:String} AND position > {p:UInt64} LIMIT 1',
      'WHERE names position, which is no key',
    ],
    ['SELECT a FROM t LIMIT 1 SETTINGS optimize_aggregation_in_order = 1', 'aggregates in order'],
  ])('%s', (sql, breach) => {
    expect(ruleViolations(sql, key)).toContain(breach)
  })

  test('a query that does not select its table as declared is refused', () => {
    const file = new URL('./tokens.sql', import.meta.url)
    const options = { file, table: addressLabels, budget: { rowsMax: 1, bytesMax: 1 } }
    expect(() => query(options)).toThrow('tokens.sql selects (token, standard')
  })

  test('a query that reads another table than declared is refused', () => {
    const file = new URL('./tokens.sql', import.meta.url)
    const table = { ...tokenState, name: 'tokens' }
    const options = { file, table, budget: { rowsMax: 1, bytesMax: 1 } }
    expect(() => query(options)).toThrow('tokens.sql reads (token_state), not only tokens')
  })

  test('a query of rows that a hole in the log makes void has to leave them out', () => {
    const file = new URL('./tokens.sql', import.meta.url)
    const table = { ...tokenState, beforeHole: 'gone' as const }
    const options = { file, table, budget: { rowsMax: 1, bytesMax: 1 } }
    expect(() => query(options)).toThrow('tokens.sql lacks position >= {knownFrom:UInt64}')
  })
})
