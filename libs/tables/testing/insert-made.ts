import { bodyName } from '../declare/body.ts'
import { bodyInSql } from '../declare/body-sql.ts'
import { isBody } from '../declare/table.ts'
import { allTables } from '../tables/all-tables.ts'

/** Rows that the engine makes itself. */
export interface MadeRows {
  readonly table: string
  /** Columns with their names, `1 AS n, 'a' AS name`; others have the defaults of their types. */
  readonly columns: string
  /** Of the rows that `columns` are made of: a table or a subquery. */
  readonly source: string
}

const nameForm = / AS `?(\w+)`?(?=\s*(?:,|$))/g

/** INSERT of rows by the names that they have in the program, packed as the table stores them. */
export function insertMade({ table, columns, source }: MadeRows): string {
  const given = [...columns.matchAll(nameForm)].map(([, name = '']) => name)
  const { storedColumns, stored: into } = tableNamed(table)
  const body = storedColumns[bodyName]
  const stored = given.filter((name) => name in storedColumns)
  const names = stored.map((name) => `\`${name}\``)
  if (body === undefined || !isBody(body)) {
    return `INSERT INTO ${into} (${names}) SELECT ${columns} FROM ${source}`
  }
  return `INSERT INTO ${into} (${names}, ${bodyName})
    SELECT ${names}, ${bodyInSql(body, new Set(given))} FROM (SELECT ${columns} FROM ${source})`
}

/** @throws for a name that no declaration has */
export function tableNamed(name: string) {
  const table = allTables.find((one) => one.name === name)
  if (table === undefined) throw new Error(`no table ${name}`)
  return table
}

const tableForm = /(?<=\b(?:FROM|JOIN) (?:readable_)?)(?!readable_)[a-z][a-z_]*\b/g

/** SQL with the names that tables have in ClickHouse; other words stay. */
export const inStoredNames = (sql: string): string =>
  sql.replaceAll(tableForm, (name) => allTables.find((one) => one.name === name)?.stored ?? name)
