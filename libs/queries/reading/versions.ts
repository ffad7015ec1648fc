import { channel } from 'node:diagnostics_channel'
import type { Versioned } from '../../tables/declare/table.ts'

/** A table, as far as it identifies versions of one row. */
export interface Keyed<R> {
  readonly name: string
  readonly keyOf: (row: R) => string
}

/** Two rows of one key and position with different contents: a faulty fold or writer. */
export interface Conflict {
  readonly table: string
  readonly key: string
  readonly position: number
}

/** Diagnostics channel for conflicts; messages are `Conflict`s. */
export const conflicts = channel('foldscan:conflicting-versions')

/** The newest version of each key, tombstones included. */
function newestByKey<R extends Versioned>(table: Keyed<R>, versions: Iterable<R>): Map<string, R> {
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

/** The newest version of each key, without tombstones. */
export function currentByKey<R extends Versioned>(
  table: Keyed<R>,
  versions: Iterable<R>,
): Map<string, R> {
  const rows = newestByKey(table, versions)
  for (const [key, row] of rows) if (row.isDeleted === 1) rows.delete(key)
  return rows
}

function isEqual(one: object, other: object): boolean {
  return Object.values(one).map(String).join('|') === Object.values(other).map(String).join('|')
}
