import { type Body, bodyName, bodyOf, bodyWriter, closeBody, openBody } from './body.ts'
import { type ColumnType, positionColumn, uint8, type ValueOf } from './columns.ts'
import { type GroupName, groupVersions, tableNameOf } from './group-versions.ts'
import type { RowSink, RowSource } from './row-binary.ts'

type AnyColumns = Record<string, ColumnType<unknown>>

/** Topic that feeds a table. A table has exactly one. */
export type SourceTopic =
  | 'blocks'
  | 'token-facts'
  | 'instance-facts'
  | 'address-facts'
  | 'coin-prices'
  | 'signature-facts'

/** Columns of every table: the version, and whether the key is deleted. */
const versionColumns = { position: positionColumn, isDeleted: uint8 }

export interface TableOptions<K, C> {
  /** Snake case; in ClickHouse with the version of its group (`stored`). */
  readonly name: string
  /** What it answers, one sentence, printed in STORE.md. */
  readonly serves: string
  readonly group: GroupName
  readonly source: SourceTopic
  /** The sort key, in its order. It contains each discriminator. */
  readonly key: K
  readonly columns: C
  /**
   * Columns that are stored together in `body` (`libs/design/tables.md`); of `columns` or of the
   * key, whose columns are stored for themselves as well.
   */
  readonly packed?: object | undefined
  /** Rows a granule. */
  readonly granularity: number
  /** Columns whose least and greatest value of each granule are stored, so that queries skip it. */
  readonly minmax?: readonly string[]
  /**
   * What readers make of rows that were written before the log's last hole (`knownFrom`): they
   * count as gone, or these columns as unknown. Without it they stay what they are.
   */
  readonly beforeHole?: 'gone' | NoInfer<Partial<RowOf<C>>>
  /**
   * Columns that rows of one origin have in common with those of other tables, which name the same
   * object here: encoded once for all of them.
   */
  readonly shared?: object | undefined
  /** One table for all versions of all groups. */
  readonly isOfAllVersions?: boolean
  /**
   * What announcements name a changed row by: the whole key, because pages show single rows, or one
   * name of all rows. By default the first column of the key, because a page is a list of it.
   */
  readonly subject?: 'key' | { readonly ofAll: string }
  /** When a flush writes it; `rows` by default. */
  readonly phase?: Phase
  /** Rows have long columns: conditions on the key are PREWHERE, before these are read. */
  readonly hasWideRows?: boolean
  /** Its rows are in the shared cache, too: many pages show them. */
  readonly isCached?: boolean
  /**
   * Its rows have stats that change with every block and that lists refresh at intervals only: a
   * change of anything else is announced separately, see `namesOf`.
   */
  readonly hasThrottledStats?: boolean
  /**
   * Table that answers depend on instead of this one, because one fold writes the rows of a subject
   * in both; `nothing`: no answer is made from these rows. By default answers depend on the table.
   */
  readonly invalidatedWith?: AnnouncedTable | 'nothing'
}

/**
 * A flush writes the tables of a phase at once, when those of the phases before are acknowledged.
 * `rows`: all that belongs to something. `existence`: rows that prove that something exists.
 * `lists`: rows with texts that are in a table of the phase before, and keys of such rows.
 */
export const phases = ['rows', 'existence', 'lists'] as const
export type Phase = (typeof phases)[number]

/** What announcements contain of a table. */
export type AnnouncedTable = Pick<
  TableOptions<object, object>,
  'name' | 'group' | 'hasThrottledStats'
>

type RowOf<C> = { readonly [N in keyof C]: ValueOf<C[N]> }
export type Versioned = RowOf<typeof versionColumns>

/** A row as the folds make it and as the queries read it. */
export type Row<T> = T extends Table<infer K, infer C> ? RowOf<K> & RowOf<C> & Versioned : never

export interface Table<K, C> extends TableOptions<K, C> {
  /** Of a row: key columns, then the others, then the version. */
  readonly allColumns: K & C & typeof versionColumns
  /** Of the database, in the order of DDL, inserts and queries: with `body` for packed columns. */
  readonly storedColumns: Readonly<Record<string, StoredColumn>>
  /** Name in ClickHouse. */
  readonly stored: string
  readonly encode: (sink: RowSink, row: RowOf<K> & RowOf<C> & Versioned) => void
  /** Columns of an insert in parts: the shared ones, then the others. */
  readonly columnsInParts: readonly string[]
  readonly encodeShared: (sink: RowSink, row: RowOf<K> & RowOf<C> & Versioned) => void
  readonly encodeOthers: (sink: RowSink, row: RowOf<K> & RowOf<C> & Versioned) => void
  readonly decode: (source: RowSource) => RowOf<K> & RowOf<C> & Versioned
  /** Of an insert in parts. */
  readonly decodeParts: (source: RowSource) => RowOf<K> & RowOf<C> & Versioned
  /** Identifies the key of a row; equal for all versions of one row. */
  readonly keyOf: (row: RowOf<K>) => string
  /** The subject that a change of the row invalidates. */
  readonly subjectOf: (row: RowOf<K>) => string
}

/** A column of the database: one of a row, or the body of several. */
export type StoredColumn = ColumnType<unknown> | Body

/** Declares a table: row type, DDL and encoder all come from this. */
export function table<K extends object, C extends object>(form: TableOptions<K, C>): Table<K, C> {
  const allColumns = { ...form.key, ...form.columns, ...versionColumns }
  const stored = storedOf(form)
  const keyNames = Object.keys(form.key)
  const keyOf = compiledKey<RowOf<K>>(keyNames)
  return {
    ...form,
    stored: storedNameOf(form),
    allColumns,
    storedColumns: Object.fromEntries(stored),
    encode: encoderOf(stored),
    ...inParts(form, stored),
    decode: decoderOf(stored),
    keyOf,
    subjectOf: subjectOf(form.subject, keyNames, keyOf),
  }
}

const storedNameOf = ({ name, group, isOfAllVersions }: TableOptions<object, object>): string =>
  isOfAllVersions ? name : tableNameOf(name, group, groupVersions[group])

type Stored = readonly (readonly [name: string, column: StoredColumn])[]
type WalkedColumns = Record<string, ColumnType<unknown>>

export const isBody = (column: StoredColumn): column is Body => 'columns' in column

/** In their order. Typed by RowOf above; inside, columns are walked without their names. */
function storedOf({ key, columns, packed }: TableOptions<object, object>): Stored {
  const isPlain = ([name]: readonly [string, unknown]) => !(name in key || name in { ...packed })
  const others = Object.entries(columns).filter(isPlain)
  const unknown = Object.keys({ ...packed }).filter((name) => !(name in { ...key, ...columns }))
  if (unknown.length > 0) throw new Error(`packed columns that no row has: ${unknown.join(', ')}`)
  const body = packed === undefined ? [] : [[bodyName, bodyOf(packed as WalkedColumns)] as const]
  return [...Object.entries(key), ...others, ...body, ...Object.entries(versionColumns)]
}

/** Encodes rows as these columns. */
export const encoderOf = <R>(columns: Stored) =>
  compiledEncoder<R>(
    columns.map(([name, column]) =>
      isBody(column) ? [name, bodyEncoderOf(column), 'row'] : [name, column.write],
    ),
  )

const bodyEncoderOf = ({ columns }: Body) =>
  bodyWriter(compiledEncoder(columns.map(({ name, form: { write } }) => [name, write])))

const decoderOf = <R>(columns: Stored) =>
  compiledDecoder<R>(
    columns.flatMap(([name, column]): [string, Read][] =>
      isBody(column) ? bodyReads(column) : [[name, column.read]],
    ),
  )

/** The first one opens the body, and the last one closes it. */
function bodyReads({ columns }: Body): [string, Read][] {
  let end = 0
  const last = columns.length - 1
  return columns.map(({ name, form: { read } }, at) => {
    if (at > 0 && at < last) return [name, read]
    return [
      name,
      (source) => {
        if (at === 0) end = openBody(source)
        const value = read(source)
        if (at === last) closeBody(source, end)
        return value
      },
    ]
  })
}

/** A form of a table with fewer columns, which only reads, shares none. */
function inParts<R>(
  { shared, packed }: Pick<TableOptions<object, object>, 'shared' | 'packed'>,
  stored: Stored,
) {
  const types = new Map(stored)
  const sharedColumns = Object.entries<ColumnType<unknown>>({ ...shared })
  // In the order of `shared`, which is that of other tables, too; a body is shared as a whole.
  const names = new Set(sharedColumns.map(([name]) => (name in { ...packed } ? bodyName : name)))
  const named = [...names].flatMap((name) => {
    const column = types.get(name)
    return column === undefined ? [] : [[name, column] as const]
  })
  const isOwn = ([name, { write }]: readonly [string, ColumnType<unknown>]) =>
    name in { ...packed } || writeOf(types.get(name)) === write
  const isWhole = sharedColumns.every(isOwn)
  const first = isWhole ? named : []
  const others = isWhole ? stored.filter(([name]) => !names.has(name)) : stored
  const all = [...first, ...others]
  return {
    shared: isWhole ? shared : undefined,
    columnsInParts: all.map(([name]) => name),
    encodeShared: encoderOf<R>(first),
    encodeOthers: encoderOf<R>(others),
    decodeParts: decoderOf<R>(all),
  }
}

const writeOf = (column: StoredColumn | undefined) =>
  column === undefined || isBody(column) ? undefined : column.write

function subjectOf<R>(
  subject: TableOptions<object, object>['subject'],
  [first = '']: readonly string[],
  keyOf: (row: R) => string,
): (row: R) => string {
  if (subject === 'key') return keyOf
  if (subject !== undefined) return () => subject.ofAll
  return (row) => String((row as Record<string, unknown>)[first])
}

/**
 * A row as it counts where the log's last hole lies before `knownFrom`; null: not at all. Of two
 * versions of a key the newer one counts at least as long, so that it does not matter whether
 * versions are resolved before or after.
 */
export function sinceHole<R extends Versioned>(
  { beforeHole }: { readonly beforeHole?: 'gone' | NoInfer<Partial<R>> },
  row: R,
  knownFrom: number,
): R | null {
  if (beforeHole === undefined || row.position >= knownFrom) return row
  return beforeHole === 'gone' ? null : { ...row, ...beforeHole }
}

/** A table whose row type is of no interest to the one who holds it. */
export type AnyTable = Table<AnyColumns, AnyColumns>

type Write = (sink: RowSink, value: unknown) => void
/** A writer of a value, or of several values of the row. */
type Written = readonly [name: string, write: Write, takes?: 'row']

const columnForm = /^[a-z][A-Za-z0-9]*$/

/**
 * A function that writes a row column by column, made as source text, once a table. In a loop
 * over columns each value is looked up by name and each writer called through a list, of every
 * table in the same few lines that can be made fast for none. Figures in benchmarks/NOTES.md.
 *
 * @throws if a name is anything but a property in the code that is made of it.
 */
export function compiledEncoder<R>(columns: readonly Written[]): (sink: RowSink, row: R) => void {
  assertNames(columns)
  const writers = columns.map((_, at) => `write${at}`)
  const calls = columns.map(
    ([name, , takes = `row.${name}`], at) => `${writers[at]}(sink, ${takes})`,
  )
  const source = `'use strict'; return (sink, row) => { ${calls.join('; ')} }`
  return new Function(...writers, source)(...columns.map(([, write]) => write))
}

type Read = (source: RowSource) => unknown

/**
 * A function that reads a row column by column, made as source text for the reasons of
 * `compiledEncoder`; and all rows of a table have one hidden class.
 *
 * @throws as `compiledEncoder`
 */
export function compiledDecoder<R>(
  columns: readonly (readonly [name: string, read: Read])[],
): (source: RowSource) => R {
  assertNames(columns)
  const readers = columns.map((_, at) => `read${at}`)
  // In the order of the columns: JavaScript evaluates properties of a literal as they are written.
  const properties = columns.map(([name], at) => `${name}: ${readers[at]}(source)`)
  const source = `'use strict'; return (source) => ({ ${properties.join(', ')} })`
  return new Function(...readers, source)(...columns.map(([, read]) => read))
}

/**
 * A function that joins some properties of a row, made as source text for the reasons of
 * `compiledEncoder`.
 *
 * @throws as `compiledEncoder`
 */
export function compiledKey<R>(names: readonly string[]): (row: R) => string {
  assertNames(names.map((name) => [name]))
  const values = names.map((name) => `\${row.${name}}`)
  return new Function(`'use strict'; return (row) => \`${values.join('|')}\``)()
}

function assertNames(columns: readonly (readonly [name: string, ...unknown[]])[]): void {
  for (const [name] of columns) {
    if (!columnForm.test(name)) throw new Error(`not the name of a column: ${name}`)
  }
}

/**
 * Families: the units of invalidation that announcements name. Each table is one; a table with
 * throttled stats has a second one. A token's stats (holders, supply, rates) change with every
 * block, and lists refresh them at intervals; its name and reputation are refreshed at once.
 */

/** The family of everything about a token except its stats. */
export const namesOf = (table: string): string => `${table}.names`

/** The families that a row invalidates. @param isStatsOnly nothing else of the row has changed */
export function invalidatedFamilies(
  { name, hasThrottledStats = false }: AnnouncedTable,
  isStatsOnly: boolean,
): readonly string[] {
  return hasThrottledStats && !isStatsOnly ? [name, namesOf(name)] : [name]
}

/** All families of a table. */
export const familiesOf = (table: AnnouncedTable): readonly string[] =>
  invalidatedFamilies(table, false)

/** A row with its table, as folds hand it on and as the encoder takes it. */
export interface TableRow {
  readonly table: AnyTable
  readonly row: Row<AnyTable>
  /** Rows of one origin are equal in the columns that their tables share; by default the row. */
  readonly origin?: object | undefined
  /** Of a token: that nothing but counters, supply or rates has changed. */
  readonly isStatsOnly?: boolean
}

/** Pairs a row with its table; the only place where the row's own type is forgotten. */
export const put = <K extends object, C extends object>(
  table: Table<K, C>,
  row: Row<Table<K, C>>,
  origin?: object,
): TableRow => ({
  table: table as unknown as AnyTable,
  row: row as unknown as Row<AnyTable>,
  origin,
})
