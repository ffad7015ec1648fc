import { channel } from 'node:diagnostics_channel'
import type { Versioned } from '../tables/table.ts'

/** What resolves the versions of rows: any table. */
export interface Keyed<R> {
  readonly name: string
  readonly keyOf: (row: R) => string
}

/** Two rows of one key and position whose contents differ: a fold or a writer is broken. */
export interface Conflict {
  readonly table: string
  readonly key: string
  readonly position: number
}

/** Whoever counts and logs conflicts subscribes here; messages are `Conflict`s. */
export const conflicts = channel('foldscan:conflicting-versions')

/** The newest version of each key; tombstones too. */
export function newest<R extends Versioned>(
  table: Keyed<R>,
  versions: Iterable<R>,
): Map<string, R> {
  const winners = new Map<string, R>()
  for (const version of versions) {
    const key = table.keyOf(version)
    const other = winners.get(key)
    if (other === undefined || version.position > other.position) winners.set(key, version)
    else if (version.position === other.position && !isEqual(version, other)) {
      const conflict: Conflict = { table: table.name, key, position: version.position }
      conflicts.publish(conflict)
    }
  }
  return winners
}

/** Rows that exist, by key. */
export function living<R extends Versioned>(
  table: Keyed<R>,
  versions: Iterable<R>,
): Map<string, R> {
  const rows = newest(table, versions)
  for (const [key, row] of rows) if (row.isDeleted === 1) rows.delete(key)
  return rows
}

function isEqual(one: object, other: object): boolean {
  return Object.values(one).map(String).join('|') === Object.values(other).map(String).join('|')
}
