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
  const { storedColumns, stored: into } = tableOf(table)
  const body = storedColumns[bodyName]
  const stored = given.filter((name) => name in storedColumns)
  const names = stored.map((name) => `\`${name}\``)
  if (body === undefined || !isBody(body)) {
    return `INSERT INTO ${into} (${names}) SELECT ${columns} FROM ${source}`
  }
  return `INSERT INTO ${into} (${names}, ${bodyName})
    SELECT ${names}, ${bodyInSql(body, new Set(given))} FROM (SELECT ${columns} FROM ${source})`
}

function tableOf(name: string) {
  const table = allTables.find((one) => one.name === name)
  if (table === undefined) throw new Error(`no table ${name}`)
  return table
}
