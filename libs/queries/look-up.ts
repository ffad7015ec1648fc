import type { QueryParameters, Store } from '../ports/store.ts'
import type { Versioned } from '../tables/table.ts'
import type { Query } from './query.ts'
import { ReadingBound } from './reading-bound.ts'
import { type Keyed, living } from './versions.ts'

/** Keys that one query takes: their hex text must fit the engine's limit for a parameter. */
export const keysPerQueryMax = 1_000
/** Rows of one query, in all their versions. */
export const versionsRowsMax = 20_000

/** How rows are found by keys that are known. */
export interface LookUp<R, K> {
  readonly query: Query<R>
  readonly table: Keyed<R>
  /** All but `rowsMax`. */
  readonly parametersOf: (keys: readonly K[]) => QueryParameters
}

/** The living rows of these keys, in no order. @throws ReadingBound, StoreUnavailable */
export async function lookUp<R extends Versioned, K>(
  store: Store,
  { query, table, parametersOf }: LookUp<R, K>,
  keys: readonly K[],
): Promise<R[]> {
  const versions = async (some: readonly K[]): Promise<R[]> => {
    const rows = await query.ask(store, { ...parametersOf(some), rowsMax: versionsRowsMax })
    if (rows.length < versionsRowsMax) return rows
    if (some.length === 1) throw new ReadingBound(table.name, rows.length)
    return (await Promise.all(parts(some, Math.ceil(some.length / 2)).map(versions))).flat()
  }
  const found = await Promise.all(parts(keys, keysPerQueryMax).map(versions))
  return [...living(table, found.flat()).values()]
}

function parts<K>(keys: readonly K[], countMax: number): K[][] {
  const list: K[][] = []
  for (let at = 0; at < keys.length; at += countMax) list.push(keys.slice(at, at + countMax))
  return list
}
