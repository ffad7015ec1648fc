import type { Cache, CacheWrite } from '../../../libs/ports/cache.ts'
import { cachedRows } from '../../../libs/tables/cached-rows.ts'
import type { Row, Table } from '../../../libs/tables/table.ts'
import type { ReadContext } from '../reader/reads.ts'
import type { CachePositions } from './cache-positions.ts'

/** Subjects asked of the cache in one go; more of them are asked of the table alone. */
const subjectsMax = 1_000

/** Where rows are looked for before a table is asked. */
export interface ReadThroughOptions {
  readonly cache: Cache
  readonly positions: CachePositions
  readonly onReads?: (outcome: 'hit' | 'miss', count: number) => void
}

interface Form<K extends object, C extends object, S> {
  readonly table: Table<K, C>
  readonly ask: (
    subjects: readonly S[],
    context: ReadContext,
  ) => Promise<ReadonlyMap<S, readonly Row<Table<K, C>>[]>>
}

/**
 * Asks the shared cache for rows before the table, and puts there what the table answers. What
 * projectors, or other processes, have written counts if it is as new as what was heard here.
 */
export function readThrough<K extends object, C extends object, S extends string>(
  { table, ask }: Form<K, C, S>,
  { cache, positions, onReads }: ReadThroughOptions,
): Form<K, C, S>['ask'] {
  const { keyOf, encode, decode } = cachedRows(table)
  return async (subjects, context) => {
    if (subjects.length === 0 || subjects.length > subjectsMax) return ask(subjects, context)
    const entries = await cache.get(subjects.map(keyOf))
    const found = new Map<S, readonly Row<Table<K, C>>[]>()
    const missing: S[] = []
    for (const [at, subject] of subjects.entries()) {
      const entry = entries[at]
      const isNew =
        entry !== undefined && entry.position >= positions.minPositionOf(table.name, subject)
      const rows = isNew ? decode(entry.bytes) : null
      if (rows === null) missing.push(subject)
      else found.set(subject, rows)
    }
    onReads?.('hit', found.size)
    onReads?.('miss', missing.length)
    if (missing.length === 0) return found
    // Noted before the table is asked: its answer has at least all that was heard by then, unless
    // it comes from a replica that is behind.
    const position = positions.reachedPositionOf(table.name)
    const asked = await ask(missing, context)
    for (const subject of missing) found.set(subject, asked.get(subject) ?? [])
    if (position !== null && !context.isBehind) {
      void cache.set(
        missing.map((subject): CacheWrite => {
          return [keyOf(subject), { bytes: encode(asked.get(subject) ?? []), position }]
        }),
      )
    }
    return found
  }
}
