import { randomUUID } from 'node:crypto'
import type { ClickHouseSettings } from '@clickhouse/client'
import type { QueryParameters } from '../../ports/store.ts'

/** A query or an insert. */
export interface Statement {
  /** With its FORMAT. */
  readonly sql: string
  /** Of an insert, in its FORMAT. */
  readonly rows?: Uint8Array
  /** Values of its `{name:Type}`. */
  readonly parameters?: QueryParameters
  readonly settings: ClickHouseSettings
}

/** A POST to the HTTP interface of ClickHouse. */
interface StatementRequest {
  readonly path: string
  /** Further ones. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/**
 * Of the path with its query string: nginx refuses request lines above 8 KiB by default, and a
 * thousand hashes, as many as a shared query has, take 73.
 */
export const pathCharsMax = 4_096

/**
 * Parameters are part of the query string, as the HTTP interface documents it, or, where that would
 * be longer than `pathCharsMax`, parts of a multipart body, as @clickhouse/client sends them with
 * `use_multipart_params_auto`.
 */
export function requestOf(database: string, statement: Statement): StatementRequest {
  const { sql, rows, parameters = {}, settings } = statement
  const search = new URLSearchParams({ database, ...(rows === undefined ? {} : { query: sql }) })
  for (const [name, value] of Object.entries(settings)) search.append(name, String(value))
  const values = Object.entries(parameters).map(([name, value]): [string, string] => [
    `param_${name}`,
    formatted(value),
  ])
  const withValues = () => pathOf(new URLSearchParams([...search, ...values]))
  // The body of an insert is its rows.
  if (rows !== undefined) return { path: withValues(), headers: {}, body: rows }
  const chars = values.reduce((sum, [, value]) => sum + value.length, 0)
  // Without encoding what is too long before.
  if (chars <= pathCharsMax) {
    const path = withValues()
    if (path.length <= pathCharsMax) return { path, headers: {}, body: sql }
  }
  return { path: pathOf(search), ...multipart([['query', sql], ...values]) }
}

const pathOf = (search: URLSearchParams) => `/?${search}`

/** No value contains it: nobody else learns it. */
const boundary = `foldscan-${randomUUID()}`
const ofMultipart = { 'content-type': `multipart/form-data; boundary=${boundary}` }

function multipart(fields: readonly (readonly [string, string])[]) {
  const parts = fields.map(
    ([name, value]) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return { headers: ofMultipart, body: `${parts.join('')}--${boundary}--\r\n` }
}

/** As ClickHouse reads the value of a parameter: escaped as in TSV, quoted within an array. */
function formatted(value: QueryParameters[string]): string {
  if (typeof value === 'string') return escaped(value)
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (typeof value !== 'object') return String(value)
  const elements = value.map((one) => (typeof one === 'string' ? `'${escaped(one)}'` : one))
  return `[${elements.join(',')}]`
}

const special = /[\t\n\r'\\]/g
const escapes: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r' }
const escaped = (text: string): string => text.replace(special, (one) => escapes[one] ?? `\\${one}`)
