import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { Store } from '../ports/store.ts'
import { readRows } from './declare/read-rows.ts'
import { RowSink } from './declare/row-binary.ts'

export interface Migration {
  readonly number: number
  /** Of its file: `0001-tables`. */
  readonly name: string
  /** Statements, each ended by a semicolon at the end of a line. */
  readonly sql: string
}

const fileForm = /^(\d{4})-[a-z0-9-]+\.sql$/
const migrationsFolder = new URL('./migrations/', import.meta.url)

/** The numbered files of `migrations/`, in order. @throws where a number is missing or twice. */
export function migrationsOf(folder: URL = migrationsFolder): Migration[] {
  const files = readdirSync(folder).sort()
  return files.map((file, index) => {
    const number = Number(fileForm.exec(file)?.[1])
    if (number !== index + 1) {
      throw new Error(`migration ${file} is at the place of number ${index + 1}`)
    }
    return { number, name: file.slice(0, -4), sql: readFileSync(new URL(file, folder), 'utf8') }
  })
}

/**
 * Applies what is not applied yet, in order, and remembers it. A second run does nothing.
 * @returns names of those applied now.
 * @throws if the tables are of a newer version, or of another text of a migration: both mean that
 * this code would misread them.
 * @param cluster makes replicated tables on each of its servers; none by default
 */
export async function migrate(
  store: Store,
  migrations: readonly Migration[] = migrationsOf(),
  cluster = '',
): Promise<string[]> {
  await store.execute(onCluster(migrationsTable, cluster))
  const applied = await appliedTo(store)
  refuseOthers(applied, migrations)
  const missing = migrations.filter(({ number }) => !applied.has(number))
  for (const migration of missing) {
    for (const statement of statementsOf(migration.sql)) {
      await store.execute(onCluster(statement, cluster))
    }
    await remember(store, migration)
  }
  return missing.map(({ name }) => name)
}

/**
 * What `migrate` would apply.
 * @throws StoreMissing where it never ran, and as `migrate` does
 */
export async function notApplied(
  store: Store,
  migrations: readonly Migration[] = migrationsOf(),
): Promise<string[]> {
  const applied = await appliedTo(store)
  refuseOthers(applied, migrations)
  return migrations.filter(({ number }) => !applied.has(number)).map(({ name }) => name)
}

/** A crash between a table and its memory: tables are made again only where they are missing. */
export const statementsOf = (sql: string): string[] =>
  sql
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
    .map((statement) => statement.replace(/^CREATE (TABLE|VIEW) /m, 'CREATE $1 IF NOT EXISTS '))

const migrationsTable = `CREATE TABLE IF NOT EXISTS migrations (
  number UInt32, name String, digest String, at DateTime DEFAULT now()
) ENGINE = MergeTree ORDER BY number SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`

interface Applied {
  readonly name: string
  readonly digest: string
}

async function appliedTo(store: Store): Promise<Map<number, Applied>> {
  const sql = 'SELECT number, name, digest FROM migrations'
  const rows = await readRows(store, { sql }, (source): [number, Applied] => [
    source.uint32(),
    { name: source.text(), digest: source.text() },
  ])
  return new Map(rows)
}

function refuseOthers(applied: Map<number, Applied>, migrations: readonly Migration[]): void {
  const newest = Math.max(0, ...applied.keys())
  if (newest > migrations.length) {
    throw new Error(
      `the tables are of version ${newest}, this Foldscan knows them up to version ` +
        `${migrations.length}: start the newer Foldscan that made them, or take another data folder or database`,
    )
  }
  for (const migration of migrations) {
    const was = applied.get(migration.number)
    if (was !== undefined && was.digest !== digestOf(migration)) {
      throw new Error(
        `the tables were created by a different version of migration ${migration.name}: ` +
          'take another data folder or database, or the Foldscan that made them',
      )
    }
  }
}

async function remember(store: Store, migration: Migration): Promise<void> {
  const sink = new RowSink()
  sink.uint32(migration.number)
  sink.text(migration.name)
  sink.text(digestOf(migration))
  await store.insert('migrations', ['number', 'name', 'digest'], {
    bytes: sink.bytes(),
    count: 1,
  })
}

const digestOf = ({ sql }: Migration) => createHash('sha256').update(sql).digest('hex')

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
    .replace(/^(CREATE (?:TABLE|VIEW|DATABASE) IF NOT EXISTS \S+)/m, `$1 ON CLUSTER \`${cluster}\``)
    .replace(/^(DROP VIEW IF EXISTS \S+)/m, `$1 ON CLUSTER \`${cluster}\``)
    .replace(/^(ALTER TABLE \S+)/m, `$1 ON CLUSTER \`${cluster}\``)
    .replace(/\bENGINE = (ReplacingMergeTree|MergeTree)\b/, 'ENGINE = Replicated$1')
    .replace(/^SETTINGS$/m, 'SETTINGS\n  replicated_deduplication_window = 0,')
}
