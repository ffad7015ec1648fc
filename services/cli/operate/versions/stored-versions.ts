import type { Store } from '../../../../libs/ports/store.ts'
import { readableName } from '../../../../libs/tables/declare/ddl.ts'
import {
  type GroupName,
  groupIdOf,
  groupNames,
  tableNameOf,
} from '../../../../libs/tables/declare/group-versions.ts'
import { readRows } from '../../../../libs/tables/declare/read-rows.ts'
import { foldedTables } from '../../../../libs/tables/tables/all-tables.ts'

/** A table or view of one version of a group. */
export interface StoredTable {
  readonly name: string
  readonly isView: boolean
  /** On disk, compressed. */
  readonly bytes: number
}

const sql = `
SELECT name, engine = 'View', toUInt64(ifNull(total_bytes, 0))
FROM system.tables
WHERE database = currentDatabase()
ORDER BY engine = 'View' DESC, name`

/** Views first: they read the tables. */
export const storedTables = (store: Pick<Store, 'query'>): Promise<readonly StoredTable[]> =>
  readRows(store, { sql }, (source) => ({
    name: source.text(),
    isView: source.uint8() === 1,
    bytes: source.uint64(),
  }))

/**
 * Those of a version. From the second on a name ends with it, so tables are found that a later
 * release no longer has; those of the first version have plain names and are known by them.
 */
export function tablesOfVersion(
  all: readonly StoredTable[],
  group: GroupName,
  version: number,
): readonly StoredTable[] {
  if (version > 1) return all.filter(({ name }) => name.endsWith(`_${groupIdOf(group, version)}`))
  const own = foldedTables.filter((table) => table.group === group)
  const plain = own.flatMap(({ name }) => {
    const stored = tableNameOf(name, group, 1)
    return [stored, readableName(stored)]
  })
  return all.filter(({ name }) => plain.includes(name))
}

/** Versions of a group that have a table, newest first. */
export function versionsStored(all: readonly StoredTable[], group: GroupName): readonly number[] {
  const later = new RegExp(`_${group}_([2-9]|[1-9][0-9]+)$`)
  const found = all.flatMap(({ name }) => {
    const version = later.exec(name)?.[1]
    return version === undefined ? [] : Number(version)
  })
  const first = tablesOfVersion(all, group, 1).length > 0 ? [1] : []
  return [...new Set([...found, ...first])].toSorted((one, other) => other - one)
}

/** Of all groups, newest version first. */
export const allVersions = (
  all: readonly StoredTable[],
): readonly { readonly group: GroupName; readonly version: number }[] =>
  groupNames.flatMap((group) => versionsStored(all, group).map((version) => ({ group, version })))
