import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Store } from '../ports/store.ts'
import { tokenState } from '../tables/tables/tokens.ts'
import { transfersByToken } from '../tables/tables/transfers.ts'
import { printedQueries, range } from './reading/declared.ts'
import { ofOneKeyIn, sqlFor } from './reading/query.ts'
import { declaredQueries as declared, queryFiles } from './testing/declared-queries.ts'
import { ruleViolations } from './testing/query-rules.ts'

/** Rows that these find are checked against all versions of their keys; the .sql says so. */
const checkedAfterwards: Readonly<Record<string, readonly string[]>> = {
  'tokens-of-address-skipping': ['isDeleted', 'observedAt'],
  'nfts-of-address-skipping': ['isDeleted', 'observedAt'],
  'holders-skipping': ['isDeleted', 'observedAt'],
  'tokens-of-transaction': ['token'],
  'transfers-of-tokens': ['isDeleted', 'token'],
  'holders-of-band': ['isDeleted', 'observedAt', 'value'],
}

const notUsed = () => Promise.reject(new Error('not used'))
const unused = {
  insert: notUsed,
  query: notUsed,
  execute: notUsed,
  ping: notUsed,
  close: () => Promise.resolve(),
}

describe('the rules of reading', () => {
  test('every .sql file is declared by a query', () => {
    const written = queryFiles.filter((path) => path.endsWith('.sql'))
    expect(written.map((path) => path.replace(/^.*\/|\.sql$/g, '')).sort()).toEqual(
      declared.map(({ name }) => name).sort(),
    )
  })

  test('what is made from a declaration is as printed: npm run print', () => {
    expect(printedQueries()).not.toEqual([])
    for (const { file, text } of printedQueries()) {
      expect(readFileSync(file, 'utf8'), file.pathname).toBe(text)
    }
  })

  test('a range that is none of the sort key is refused', () => {
    const options = {
      file: new URL('./transfers-of-token.sql', import.meta.url),
      table: transfersByToken,
      budget: { rowsMax: 1, bytesMax: 1 },
    }
    const skipping = () => range({ ...options, of: ['token'], after: ['logIndex'], order: 'key' })
    expect(skipping).toThrow('transfers_by_token is not sorted by token, logIndex')
  })

  test.each(declared)('$name keeps them', ({ name, sql, key }) => {
    expect(ruleViolations(sql, [...key, ...(checkedAfterwards[name] ?? [])])).toEqual([])
  })

  test.each(declared.flatMap(({ ofOneKey, ...one }) => (ofOneKey ? [{ ...one, ofOneKey }] : [])))(
    '$name keeps them with one key',
    ({ name, sql, ofOneKey, key }) => {
      expect(ruleViolations(ofOneKey.sql, [...key, ...(checkedAfterwards[name] ?? [])])).toEqual([])
      expect(ofOneKey.sql).not.toContain('arrayJoin')
      expect(ofOneKey.sql.split('\n')).toHaveLength(sql.split('\n').length)
    },
  )

  test.each(Object.keys(checkedAfterwards))('%s says why it may read more', (name) => {
    expect(declared.find((one) => one.name === name)?.sql).toMatch(
      /^-- [\s\S]*tombstones|^-- [\s\S]*checked against/,
    )
  })
})

describe('a statement returns fewer rows than a block has', () => {
  const sizeOf = (sql: string) => Number(/max_block_size = (\d+)/.exec(sql)?.[1])
  const withBlocks = declared.filter(({ sql }) => sql.includes('max_block_size ='))

  test.each(withBlocks)('$name', async ({ run, sql }) => {
    for (const rowsMax of [1, 1_000, 1_023, 1_024, 1_025, 2_048, 4_096, 32_768]) {
      const sent: string[] = []
      const store: Store = {
        ...unused,
        async query(one) {
          sent.push(one)
          return Buffer.alloc(0)
        },
      }
      await run(store, { rowsMax })
      const sizes = sent.map(sizeOf)
      expect(sizes).toEqual([rowsMax < 1_024 ? 1_024 : 2 ** Math.floor(Math.log2(rowsMax) + 1)])
      expect(sent[0]?.replace(String(sizes[0]), '1024')).toBe(sql)
    }
  })

  /** They read all rows of their subject in few fetches, or skip rows and return 1,000 at most. */
  const others = [
    'token-rates',
    'rated-balances-by-start',
    'nfts-of-address-skipping',
    'tokens-of-address-skipping',
    'transfers-of-tokens',
  ]
  const inKeyOrder = declared.filter(({ sql, key }) =>
    new RegExp(`ORDER BY ${key[0]}(,[^\\n]*)?\\n *LIMIT {rowsMax:UInt64}`).test(sql),
  )

  test.each(inKeyOrder)('$name sets the size of its blocks', ({ name, sql }) => {
    expect(sql.includes('max_block_size =')).toBe(!others.includes(name))
  })

  test('there are such statements', () => {
    expect(inKeyOrder.map(({ name }) => name)).toEqual(expect.arrayContaining(others))
    expect(inKeyOrder.length).toBeGreaterThan(others.length)
  })
})

test.each([
  [
    'WHERE token IN (SELECT toFixedString(unhex(arrayJoin({tokens:Array(String)})), 20))\nLIMIT 1',
    'WHERE token = toFixedString(unhex({tokens:Array(String)}[1]), 20)\nLIMIT 1',
  ],
  [
    'WHERE selector IN (SELECT unhex(arrayJoin({selectors:Array(String)})))\nLIMIT 1',
    'WHERE selector = unhex({selectors:Array(String)}[1])\nLIMIT 1',
  ],
  [
    'WHERE group IN (SELECT arrayJoin({groups:Array(String)}))\nLIMIT 1',
    'WHERE group = {groups:Array(String)}[1]\nLIMIT 1',
  ],
  ['WHERE (a, b) IN (\n  SELECT arrayJoin({as:Array(String)}), 1\n)\nLIMIT 1', undefined],
  ['WHERE standard IN ({standards:Array(UInt8)})\nLIMIT 1', undefined],
])('a list of one key is compared with it: %s', (sql, ofOne) => {
  expect(ofOneKeyIn(sql)?.sql).toBe(ofOne)
})

describe('a breach is seen', () => {
  const key = ['holder', 'value']
  test.each([
    ['SELECT a FROM t FINAL WHERE holder = {h:String} LIMIT 1', 'uses FINAL'],
    ['SELECT a FROM t WHERE isDeleted = 0 LIMIT 1', 'WHERE names isDeleted, which is no key'],
    ['SELECT a FROM t PREWHERE isDeleted = 0 LIMIT 1', 'WHERE names isDeleted, which is no key'],
    [
      'SELECT a FROM t WHERE holder = {h:String} ORDER BY a LIMIT 1',
      'ORDER BY names a, which is no key',
    ],
    ['SELECT a FROM t WHERE (holder, value) < ({h:String}, 1) LIMIT 1', 'compares tuples'],
    [
      'SELECT a FROM t WHERE holder = {h:String} LIMIT 1 BY holdr LIMIT {n:UInt64}',
      'LIMIT BY names holdr, which is no key',
    ],
    ['SELECT a FROM t WHERE holder = {h:String}', 'has neither a LIMIT nor a list of keys'],
    ["SELECT a FROM t WHERE holder = 'aa' LIMIT 1", 'pastes a value'],
    [
      'SELECT a FROM t WHERE holder = {h:String} AND position > {p:UInt64} LIMIT 1',
      'WHERE names position, which is no key',
    ],
    [
      'SELECT a FROM transactions_by_fee ORDER BY value LIMIT 1 BY holder',
      'sorts any number of bytes',
    ],
    ['SELECT a FROM t LIMIT 1 SETTINGS optimize_aggregation_in_order = 1', 'aggregates in order'],
  ])('%s', (sql, breach) => {
    expect(ruleViolations(sql, key)).toContain(breach)
  })

  test.each([
    [
      'a list of columns',
      'SELECT token, name FROM token_state',
      'selects token, name, not {columns}',
    ],
    [
      'a column more',
      'SELECT {columns}, 1 FROM token_state',
      'selects {columns}, 1, not {columns}',
    ],
    ['no columns', 'FROM token_state', 'selects nothing, not {columns}'],
    ['another table', 'SELECT {columns} FROM tokens', 'reads (tokens), not only token_state'],
    [
      'a table more',
      'SELECT {columns} FROM token_state WHERE token IN (SELECT token FROM holders)',
      'reads (token_state, holders), not only token_state',
    ],
  ])('%s', (_, text, error) => {
    expect(() => sqlFor({ ...tokenState, columns: ['token'] }, { name: 'q', text })).toThrow(
      `q.sql ${error}`,
    )
  })

  test('a query of rows that a hole in the log invalidates has to leave them out', () => {
    const table = { name: 't', stored: 't', beforeHole: 'gone' as const, columns: [] }
    expect(() => sqlFor(table, { name: 'q', text: 'SELECT {columns} FROM t' })).toThrow(
      'q.sql lacks position >= {knownFrom:UInt64}',
    )
  })
})

describe('the columns of a query', () => {
  test('are those of its table, in their order', () => {
    const columns = Object.keys(transfersByToken.storedColumns)
    const text = '-- Newest first.\nSELECT {columns}\nFROM transfers_by_token'
    expect(sqlFor({ ...transfersByToken, columns }, { name: 'q', text })).toBe(
      '-- Newest first.\nSELECT "token", "blockNumber", "logIndex", "batchIndex", ' +
        `"transactionHash", "body", "position", "isDeleted"\nFROM ${transfersByToken.stored}`,
    )
  })

  test.each(declared)('of $name have no placeholder left', ({ sql, table }) => {
    expect(sql).not.toContain('{columns}')
    const [selected = ''] = /(?<=^SELECT ).*(?=\nFROM )/m.exec(sql) ?? []
    expect(selected.split(', ')).toEqual([...table.columns.keys()].map((name) => `"${name}"`))
  })
})
