import { type Address, address, type Hash, hash } from '../../libs/chain/hex.ts'
import { type Position, position } from '../../libs/chain/position.ts'
import type { Store } from '../../libs/ports/store.ts'
import type { Row, Table } from '../../libs/tables/declare/table.ts'
import { insertRows } from '../support/insert-rows.ts'
import type { Random } from './random.ts'

/** Small numbers as addresses and hashes, in the same order. */
export const addressOf = (number: number): Address =>
  address(`0x${number.toString(16).padStart(40, '0')}`)
export const hashOf = (number: number): Hash => hash(`0x${number.toString(16).padStart(64, '0')}`)

export interface Version {
  readonly position: Position
  readonly isDeleted: number
}

/**
 * Versions of one key as a chain with reorganisations leaves them: written, taken back, written
 * again, some of them delivered twice. `isDead` ends with a tombstone.
 */
export function historyOf(random: Random, isDead: boolean): Version[] {
  const versions: Version[] = []
  let at = 1 + random.below(1000)
  for (let turns = random.below(3); turns > 0; turns--) {
    versions.push({ position: position(at++), isDeleted: 0 })
    if (random.below(2) === 0) versions.push({ position: position(at++), isDeleted: 1 })
  }
  const last = { position: position(at + random.below(3)), isDeleted: isDead ? 1 : 0 }
  versions.push(last)
  if (random.below(4) === 0) versions.push(last)
  return versions
}

/** In random order and in several parts, as if flushes of many times lay side by side. */
export async function insertShuffled<K extends object, C extends object>(
  store: Store,
  table: Table<K, C>,
  { rows, parts, random }: { rows: Row<Table<K, C>>[]; parts: number; random: Random },
): Promise<void> {
  const shuffled = rows
    .map((row) => ({ row, rank: random.below(2 ** 31) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ row }) => row)
  const size = Math.ceil(shuffled.length / parts)
  for (let at = 0; at < shuffled.length; at += size) {
    await insertRows(store, table, shuffled.slice(at, at + size))
  }
}

/** The list as it should be: highest position of each key, tombstones gone. */
export function settled<R extends Version>(
  table: { readonly keyOf: (row: R) => string },
  rows: readonly R[],
): R[] {
  const newest = new Map<string, R>()
  for (const row of rows) {
    const other = newest.get(table.keyOf(row))
    if (other === undefined || other.position < row.position) newest.set(table.keyOf(row), row)
  }
  return [...newest.values()].filter(({ isDeleted }) => isDeleted === 0)
}

/** Page after page, each of another size, from the last row of the one before. */
export async function walked<R>(
  random: Random,
  page: (after: R | null, limit: number) => Promise<readonly R[]>,
): Promise<R[]> {
  const rows: R[] = []
  for (;;) {
    const limit = random.oneOf([1, 7, 51, 101, 101])
    const found = await page(rows.at(-1) ?? null, limit)
    rows.push(...found)
    if (found.length < limit) return rows
    if (rows.length > 100_000) throw new Error('the walk does not end')
  }
}
