import type { Store } from '../../../../libs/ports/store.ts'
import { readableName } from '../../../../libs/tables/declare/ddl.ts'
import { type GroupName, tableNameOf } from '../../../../libs/tables/declare/group-versions.ts'
import { readRows } from '../../../../libs/tables/declare/read-rows.ts'
import { foldedTables } from '../../../../libs/tables/tables/all-tables.ts'

/** How one table of two versions of a group compares. */
export interface ComparedTable {
  readonly table: string
  /** Current rows of each version; null where that version has no such table. */
  readonly rows: readonly [first: number | null, second: number | null]
  /** Subjects whose rows were compared. */
  readonly subjects: number
  /** Columns that both have. */
  readonly columns: number
  /** The first few subjects whose rows differ in one of these columns. */
  readonly differing: readonly string[]
}

interface Compared {
  readonly group: GroupName
  readonly versions: readonly [first: number, second: number]
  /** Subjects taken of each version. */
  readonly sample: number
}

const differingMax = 5

/**
 * Counts the rows of each table in both versions, and compares all rows of some subjects, the same
 * in each run. Bodies are compared by the columns of their views, as versions may pack them
 * otherwise.
 */
export async function compareVersions(
  store: Store,
  { group, versions, sample }: Compared,
): Promise<readonly ComparedTable[]> {
  const compared: ComparedTable[] = []
  for (const { name, key } of foldedTables.filter((table) => table.group === group)) {
    const [[subject, { ddl }] = ['', { ddl: '' }]] = Object.entries(key)
    const stored = versions.map((version) => tableNameOf(name, group, version))
    const columns = await Promise.all(stored.map((table) => columnsOf(store, table)))
    const [first, second] = await Promise.all(
      stored.map((table, at) => (columns[at] === null ? null : countOf(store, table))),
    )
    const common = commonOf(columns[0] ?? null, columns[1] ?? null)
    const rows = [first ?? null, second ?? null] as const
    const known = { table: name, rows, columns: common?.names.length ?? 0 }
    if (common === null) compared.push({ ...known, subjects: 0, differing: [] })
    else
      compared.push({
        ...known,
        ...(await compareRows(store, { common, subject: { name: subject, ddl }, sample })),
      })
  }
  return compared
}

/** What of a table, or of the view that unpacks it, has which columns. */
interface Columns {
  readonly of: string
  readonly names: readonly string[]
}

interface Common {
  readonly of: readonly [first: string, second: string]
  readonly names: readonly string[]
}

/** Null where there is no such table. */
async function columnsOf(store: Store, table: string): Promise<Columns | null> {
  const view = readableName(table)
  const sql = `SELECT table, name FROM system.columns
    WHERE database = currentDatabase() AND table IN {tables:Array(String)} ORDER BY position`
  const parameters = { tables: [table, view] }
  const all = await readRows(store, { sql, parameters }, (source) => ({
    table: source.text(),
    name: source.text(),
  }))
  if (all.length === 0) return null
  const of = all.some((one) => one.table === view) ? view : table
  return { of, names: all.filter((one) => one.table === of).map(({ name }) => name) }
}

function commonOf(first: Columns | null, second: Columns | null): Common | null {
  if (first === null || second === null) return null
  const names = first.names.filter((name) => second.names.includes(name))
  return { of: [first.of, second.of], names }
}

async function countOf(store: Store, table: string): Promise<number> {
  const sql = 'SELECT count() FROM {table:Identifier} FINAL'
  const [count = 0] = await readRows(store, { sql, parameters: { table } }, (source) =>
    source.uint64(),
  )
  return count
}

/** First column of the sort key, as the server has it. */
interface Subject {
  readonly name: string
  readonly ddl: string
}

interface Sampling {
  readonly common: Common
  readonly subject: Subject
  readonly sample: number
}

async function compareRows(
  store: Store,
  { common, subject, sample }: Sampling,
): Promise<Pick<ComparedTable, 'subjects' | 'differing'>> {
  const found: string[] = []
  for (const of of common.of) found.push(...(await sampled(store, { of, subject, sample })))
  const subjects = [...new Set(found)]
  const [first, second] = await Promise.all(
    common.of.map((of) => digestsOf(store, { of, names: common.names, subject, subjects })),
  )
  const differing = subjects.filter((one) => first?.get(one) !== second?.get(one))
  return { subjects: subjects.length, differing: differing.slice(0, differingMax) }
}

const isOfBytes = ({ ddl }: Subject) => ddl.startsWith('FixedString')

/** Of any type, also one of bytes, which are no text. */
const asText = (subject: Subject) =>
  isOfBytes(subject) ? 'hex({subject:Identifier})' : 'hex(toString({subject:Identifier}))'

/** The reverse, of a list: a condition on the key, so that few granules are read. */
const ofText = (list: string, { ddl }: Subject) => `CAST(unhex(${list}), '${ddl}')`

/**
 * Subjects as text: those next above points that lie evenly in the order of the key, which hashes
 * and addresses fill evenly.
 */
async function sampled(
  store: Store,
  { of, subject, sample }: Omit<Sampling, 'common'> & { readonly of: string },
): Promise<readonly string[]> {
  const sql = `SELECT ${asText(subject)} FROM {of:Identifier}
    WHERE {subject:Identifier} >= ${ofText('{from:String}', subject)}
    ORDER BY {subject:Identifier} LIMIT 1`
  const points = isOfBytes(subject) ? Array.from({ length: sample }, (_, at) => at / sample) : []
  const found: string[] = []
  for (const point of points) {
    const from = Math.floor(point * 2 ** 32)
      .toString(16)
      .padStart(8, '0')
    const parameters = { of, subject: subject.name, from }
    found.push(...(await readRows(store, { sql, parameters }, (source) => source.text())))
  }
  if (isOfBytes(subject)) return found
  const all = `SELECT DISTINCT ${asText(subject)} FROM {of:Identifier} LIMIT {sample:UInt32}`
  const parameters = { of, subject: subject.name, sample }
  return await readRows(store, { sql: all, parameters }, (source) => source.text())
}

interface Digested {
  readonly of: string
  readonly names: readonly string[]
  readonly subject: Subject
  readonly subjects: readonly string[]
}

/** How many current rows a subject has, and a hash of all of them, whatever their order is. */
async function digestsOf(
  store: Store,
  { of, names, subject, subjects }: Digested,
): Promise<ReadonlyMap<string, string>> {
  // Of a null nothing would be hashed.
  const columns = names.map((name) => `ifNull(toString(\`${name}\`), 'NULL')`).join(', ')
  const sql = `SELECT ${asText(subject)} AS text,
      toString(count()) || ' ' || toString(groupBitXor(cityHash64(${columns})))
    FROM {of:Identifier}
    WHERE {subject:Identifier} IN (SELECT ${ofText('arrayJoin({subjects:Array(String)})', subject)})
    GROUP BY text
    SETTINGS final = 1`
  const parameters = { of, subject: subject.name, subjects }
  const rows = await readRows(store, { sql, parameters }, (source): [string, string] => [
    source.text(),
    source.text(),
  ])
  return new Map(rows)
}
