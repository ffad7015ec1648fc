import { expect, it } from 'vitest'
import { pathCharsMax, requestOf } from './statement-request.ts'

const settings = { readonly: '2', max_threads: 1 } as const
const sql = 'SELECT {keys:Array(String)}'
const keysOf = (count: number) => Array.from({ length: count }, () => 'a1'.repeat(20))
const queryOf = (count: number) =>
  requestOf('chain', { sql, parameters: { keys: keysOf(count) }, settings })

it('puts few parameters into the query string, and the statement into the body', () => {
  const { path, headers, body } = requestOf('chain', {
    sql,
    parameters: { keys: [`'`, '\t'], limit: 51, isKnown: true },
    settings,
  })
  expect(path.slice(0, 2)).toBe('/?')
  expect([...new URLSearchParams(path.slice(2))]).toEqual([
    ['database', 'chain'],
    ['readonly', '2'],
    ['max_threads', '1'],
    ['param_keys', String.raw`['\'','\t']`],
    ['param_limit', '51'],
    ['param_isKnown', '1'],
  ])
  expect([headers, body]).toEqual([{}, sql])
})

it('puts the statement of an insert into the query string, and its rows into the body', () => {
  const rows = Uint8Array.of(1, 2, 3)
  const insert = 'INSERT INTO t (a) FORMAT RowBinary'
  const { path, headers, body } = requestOf('chain', { sql: insert, rows, settings })
  expect(new URLSearchParams(path.slice(2)).get('query')).toBe(insert)
  expect([headers, body]).toEqual([{}, rows])
})

it('sends further parameters as parts of the body: a path is never longer than its bound', () => {
  const lengths = Array.from({ length: 1_000 }, (_, count) => queryOf(count).path.length)
  expect(Math.max(...lengths)).toBeLessThanOrEqual(pathCharsMax)
  expect(Math.max(...lengths)).toBeGreaterThan(pathCharsMax - 60)
  const { path, headers, body } = queryOf(1_000)
  expect(path).toBe('/?database=chain&readonly=2&max_threads=1')
  const boundary = headers['content-type']?.replace('multipart/form-data; boundary=', '')
  expect(body).toBe(
    [
      `--${boundary}`,
      'content-disposition: form-data; name="query"',
      '',
      sql,
      `--${boundary}`,
      'content-disposition: form-data; name="param_keys"',
      '',
      `['${keysOf(1_000).join(`','`)}']`,
      `--${boundary}--`,
      '',
    ].join('\r\n'),
  )
})
