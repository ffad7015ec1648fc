import type { Store } from '../ports/store.ts'
import { StoreMissing } from '../ports/store.ts'
import {
  addColumn,
  createTable,
  createView,
  type DeclaredTable,
  modifySettings,
  readableName,
  sortKey,
  tableSettings,
} from './declare/ddl.ts'
import { readRows } from './declare/read-rows.ts'
import { createDeployment, deploymentName } from './deployment.ts'
import { allTables } from './tables/all-tables.ts'

/** Tables of these names have another key or other types: rows of both would be misread. */
export class OtherTables extends Error {
  override readonly name = 'OtherTables'
}

/**
 * Makes the tables and views of this release that the database lacks, and adds columns and settings
 * that tables of a release before versions lack; older rows have the default of a column's type.
 * Nothing else is changed: rows of another form are in tables of another name
 * (`group-versions.ts`).
 * After a crash it goes on with what is still missing.
 * @param cluster makes replicated tables on each of its servers; none by default
 * @returns what it has made: `table prices`, `column balances.observedAt`
 * @throws OtherTables before it changes anything
 */
export async function migrate(
  store: Store,
  { cluster = '' }: { readonly cluster?: string } = {},
): Promise<string[]> {
  const lacking = lackingIn(await formsIn(store))
  for (const { statements } of lacking) {
    for (const statement of statements) await store.execute(onCluster(statement, cluster))
  }
  return lacking.map(({ name }) => name)
}

/**
 * What `migrate` would make.
 * @throws StoreMissing where it never ran, OtherTables as it does
 */
export async function notMigrated(store: Pick<Store, 'query'>): Promise<string[]> {
  const forms = await formsIn(store)
  if (forms.size === 0) throw new StoreMissing('the database has none of the tables')
  return lackingIn(forms).map(({ name }) => name)
}

/** A table or view as the server has it. */
interface Form {
  /** With the settings it was made with: `ReplacingMergeTree(..) ORDER BY .. SETTINGS a = 1`. */
  readonly engine: string
  /** Types by name. */
  readonly columns: Map<string, string>
}

const tablesSql = `
SELECT name, engine_full FROM system.tables
WHERE database = currentDatabase() AND name IN {names:Array(String)}`
const columnsSql = `
SELECT table, name, type FROM system.columns
WHERE database = currentDatabase() AND table IN {names:Array(String)}`

async function formsIn(store: Pick<Store, 'query'>): Promise<Map<string, Form>> {
  const own = allTables.map(({ stored }) => stored)
  const names = [...own, ...own.map(readableName), deploymentName]
  const parameters = { names }
  const found = await readRows(store, { sql: tablesSql, parameters }, (source): [string, Form] => [
    source.text(),
    { engine: source.text(), columns: new Map() },
  ])
  const forms = new Map(found)
  await readRows(store, { sql: columnsSql, parameters }, (source) => {
    const [table, name, type] = [source.text(), source.text(), source.text()]
    forms.get(table)?.columns.set(name, type)
  })
  return forms
}

interface Lacking {
  readonly name: string
  /** Each harmless if it is sent again. */
  readonly statements: readonly string[]
}

/** In the order in which it is made: a view needs its columns. */
function lackingIn(forms: ReadonlyMap<string, Form>): readonly Lacking[] {
  const ofTables = allTables.flatMap((table): Lacking[] => {
    const form = forms.get(table.stored)
    const made = form === undefined ? [wholeTable(table)] : lackingInTable(form, table)
    return [...made, ...lackingView(forms, table, made.length > 0)]
  })
  if (forms.has(deploymentName)) return ofTables
  return [...ofTables, { name: `table ${deploymentName}`, statements: [createDeployment] }]
}

const wholeTable = (table: DeclaredTable): Lacking => ({
  name: `table ${table.stored}`,
  statements: [createTable(table)],
})

/** A key of one column has no parentheses, one with a descending column is a `tuple(..)`. */
const sortedBy = / ORDER BY (?:tuple)?\(?(.*?)\)?(?: SETTINGS |$)/

/** @throws OtherTables */
function lackingInTable(form: Form, table: DeclaredTable): readonly Lacking[] {
  const { stored: name } = table
  const key = sortKey(table).replaceAll('`', '')
  const found = sortedBy.exec(form.engine)?.[1] ?? ''
  if (found !== key) refuse(`table ${name} is sorted by (${found}), not by (${key})`)
  const columns = Object.entries(table.storedColumns).flatMap(([column, { ddl }]) => {
    const type = form.columns.get(column)
    if (type === undefined) {
      return { name: `column ${name}.${column}`, statements: [addColumn(table, column)] }
    }
    if (type !== ddl) refuse(`column ${name}.${column} is of type ${type}, not ${ddl}`)
    return []
  })
  const settings = Object.entries(tableSettings(table)).map(([of, value]) => `${of} = ${value}`)
  const missing = settings.filter((one) => !new RegExp(`\\b${one}\\b`).test(form.engine))
  if (missing.length === 0) return columns
  const statements = [modifySettings(name, missing)]
  return [...columns, { name: `settings of ${name}`, statements }]
}

function lackingView(
  forms: ReadonlyMap<string, Form>,
  table: DeclaredTable & { readonly allColumns: object },
  isChanged: boolean,
): readonly Lacking[] {
  const view = readableName(table.stored)
  const create = createView(table)
  // After a crash the columns may be there, and the view of before.
  const shown = forms.get(view)?.columns
  const isWhole = Object.keys(table.allColumns).every((column) => shown?.has(column))
  if (create === null || (isWhole && !isChanged)) return []
  return [{ name: `view ${view}`, statements: [`DROP VIEW IF EXISTS ${view}`, create] }]
}

function refuse(what: string): never {
  throw new OtherTables(
    `the tables are of another Foldscan: ${what}; ` +
      'start the one that made them, or take another data folder or database',
  )
}

/**
 * Turns a CREATE or ALTER statement into its cluster form: it runs on each server, and the rows are
 * replicated to all of them. The path of the replicas is the servers' own `default_replica_path`.
 *
 * Without the window that drops an insert which equals an earlier one: rows that were removed to be
 * folded again come as the same inserts, and an ALTER DELETE does not clear what the server
 * remembers of them. Rows that are written twice replace each other.
 */
export function onCluster(statement: string, cluster: string): string {
  if (cluster === '') return statement
  return statement
    .replace(/^(CREATE (?:TABLE|VIEW|DATABASE) IF NOT EXISTS \S+)/, `$1 ON CLUSTER \`${cluster}\``)
    .replace(/^(DROP (?:TABLE|VIEW) IF EXISTS \S+)/, `$1 ON CLUSTER \`${cluster}\``)
    .replace(/^(ALTER TABLE \S+)/, `$1 ON CLUSTER \`${cluster}\``)
    .replace(/\bENGINE = (ReplacingMergeTree|MergeTree)\b/, 'ENGINE = Replicated$1')
    .replace(/^SETTINGS$/m, 'SETTINGS\n  replicated_deduplication_window = 0,')
}
