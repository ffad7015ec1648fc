import { type QueryParameters, ResultTooLarge, type Store } from '../../ports/store.ts'
import type { Versioned } from '../../tables/declare/table.ts'
import type { Query } from './query.ts'
import { fewRowsBytesMax, ReadLimitExceeded, resultBytesMax } from './read-limits.ts'
import { currentByKey, type Keyed } from './versions.ts'

/** Keys of one query: their hex text must fit ClickHouse's limit for a parameter. */
export const keysPerQueryMax = 1_000
/** Rows of one query, all versions included. */
export const versionsRowsMax = 20_000

/** Results of one read with long rows, `resultBytesMax` each. */
const longResultsMaxDefault = 8

/** A query that reads rows by their keys. */
export interface KeyedRead<R, K> {
  readonly query: Query<R>
  readonly table: Keyed<R>
  /** All parameters but `rowsMax`. */
  readonly parametersOf: (keys: readonly K[]) => QueryParameters
  /** 0 if the caller can retry with fewer keys. */
  readonly longResultsMax?: number
}

/**
 * The current rows of these keys, unordered.
 * @throws ReadLimitExceeded, StoreUnavailable; ResultTooLarge if the rows of all keys are too long
 * together: retry with fewer keys
 */
export async function readByKeys<R extends Versioned, K>(
  store: Store,
  { query, table, parametersOf, longResultsMax = longResultsMaxDefault }: KeyedRead<R, K>,
  keys: readonly K[],
): Promise<R[]> {
  let longResults = 0
  const versions = async (some: readonly K[]): Promise<R[]> => {
    const bytesMax = some.length === 1 ? fewRowsBytesMax : resultBytesMax
    const parameters = { ...parametersOf(some), rowsMax: versionsRowsMax }
    const rows = await query.run(store, parameters, bytesMax).catch(nullIfTooLarge)
    if (rows !== null && rows.length < versionsRowsMax) return rows
    if (some.length === 1) throw new ReadLimitExceeded(table.name, rows?.length ?? 0)
    const halves = parts(some, Math.ceil(some.length / 2))
    if (rows !== null) return (await Promise.all(halves.map(versions))).flat()
    longResults += 1
    if (longResults > longResultsMax) {
      throw new ResultTooLarge(`rows of ${keys.length} keys of ${table.name} are too long`)
    }
    return await inTurn(halves, versions)
  }
  const found = await Promise.all(parts(keys, keysPerQueryMax).map(versions))
  return [...currentByKey(table, found.flat()).values()]
}

/**
 * Reads rows in the order of their places, and ends with the first one that does not fit.
 * @param find the rows of some places, in their order; throws ResultTooLarge
 */
export async function readByKeysInOrder<P, R>(
  places: readonly P[],
  find: (some: readonly P[]) => Promise<readonly R[]>,
  isFull: (found: readonly R[]) => boolean,
): Promise<R[]> {
  const found: R[] = []
  let count = places.length
  for (let at = 0; at < places.length && !isFull(found); ) {
    try {
      found.push(...(await find(places.slice(at, at + count))))
      at += count
    } catch (error) {
      if (!(error instanceof ResultTooLarge) || count === 1) throw error
      count = Math.ceil(count / 4)
    }
  }
  return found
}

function nullIfTooLarge(error: unknown): null {
  if (error instanceof ResultTooLarge) return null
  throw error
}

async function inTurn<K, R>(
  groups: readonly (readonly K[])[],
  find: (keys: readonly K[]) => Promise<R[]>,
): Promise<R[]> {
  const found: R[] = []
  for (const keys of groups) found.push(...(await find(keys)))
  return found
}

function parts<K>(keys: readonly K[], countMax: number): K[][] {
  const list: K[][] = []
  for (let at = 0; at < keys.length; at += countMax) list.push(keys.slice(at, at + countMax))
  return list
}

/** Groups rows by a key, in their order. */
export function groupBy<K, R>(rows: Iterable<R>, keyOf: (row: R) => K): Map<K, R[]> {
  const groups = new Map<K, R[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group) group.push(row)
    else groups.set(keyOf(row), [row])
  }
  return groups
}
