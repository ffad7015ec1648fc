import type { Store } from '../ports/store.ts'
import { readRows } from './read-rows.ts'

/** A mutation of a table, as reported by one replica. */
export interface Mutation {
  readonly table: string
  readonly id: string
  /** Bears the label that was asked for. */
  readonly isOwn: boolean
  readonly isDone: boolean
  readonly partsLeft: number
  /** Why its last attempt failed; empty if it did not. ClickHouse tries again for ever. */
  readonly failure: string
}

export interface Labelled {
  readonly tables: readonly string[]
  /** Part of the text of each statement: a replica may list mutations of other processes, too. */
  readonly label: string
}

/** Unfinished ones that are not ours may hold up ours. */
const mutationsSql = `
SELECT table, mutation_id, position(command, {label:String}) > 0 AS isOwn, is_done,
  toUInt64(greatest(parts_to_do, 0)), latest_fail_reason
FROM system.mutations
WHERE database = currentDatabase() AND has({tables:Array(String)}, table)
  AND (isOwn OR NOT is_done)
ORDER BY table, create_time, mutation_id
LIMIT {rowsMax:UInt64}`

const mutationsMax = 1_000

/** Those with the label, and all that are not finished. @throws StoreDenied without the right */
export async function mutationsOf(
  store: Pick<Store, 'query'>,
  { tables, label }: Labelled,
): Promise<readonly Mutation[]> {
  const parameters = { tables, label, rowsMax: mutationsMax }
  return await readRows(store, { sql: mutationsSql, parameters }, (source) => ({
    table: source.text(),
    id: source.text(),
    isOwn: source.uint8() === 1,
    isDone: source.uint8() === 1,
    partsLeft: source.uint64(),
    failure: source.text(),
  }))
}

/**
 * Deletes rows in the background: of the parts that are there, none that comes later. It returns
 * once the statement is recorded, and waits for no replica. Sent twice it does the same.
 */
export const deletion = (table: string, condition: string, label: string): string =>
  `ALTER TABLE ${table} DELETE WHERE (${condition}) AND notEmpty('${label}') ` +
  'SETTINGS mutations_sync = 0'

/** Cancels the unfinished statements with a label. */
export const killing = (label: string): string =>
  `KILL MUTATION WHERE database = currentDatabase() AND position(command, '${label}') > 0 ASYNC`
