import type { Cache, CacheWrite } from '../../../libs/ports/cache.ts'
import type { CachedRows } from '../../../libs/tables/declare/cached-rows.ts'
import type { CachePositions } from '../clock/cache-positions.ts'

/** Subjects of one cache read; larger reads go to the table directly. */
const subjectsMax = 1_000

/** The shared cache, and which of its entries are current. */
export interface ReadThroughOptions {
  readonly cache: Cache
  readonly positions: CachePositions
  readonly onReads?: (outcome: 'hit' | 'miss', count: number) => void
}

interface ReadThroughTable<S, R> {
  readonly table: { readonly name: string }
  readonly cached: CachedRows<R>
  readonly read: (subjects: readonly S[]) => Promise<ReadonlyMap<S, readonly R[]>>
}

/**
 * Reads rows from the shared cache, the missing ones from the table, and caches these. Entries of
 * projectors and other processes count if they are as current as what this process has consumed.
 */
export async function readThrough<S extends string, R>(
  { table, cached, read }: ReadThroughTable<S, R>,
  subjects: readonly S[],
  {
    cache,
    positions,
    onReads,
    context,
  }: ReadThroughOptions & {
    readonly context: { readonly isBehind: boolean }
  },
): Promise<ReadonlyMap<S, readonly R[]>> {
  if (subjects.length === 0 || subjects.length > subjectsMax) return read(subjects)
  const entries = await cache.get(subjects.map(cached.keyOf))
  const found = new Map<S, readonly R[]>()
  const missing: S[] = []
  for (const [at, subject] of subjects.entries()) {
    const entry = entries[at]
    const isNew =
      entry !== undefined && entry.position >= positions.minPositionOf(table.name, subject)
    const rows = isNew ? cached.decode(entry.bytes) : null
    if (rows === null) missing.push(subject)
    else found.set(subject, rows)
  }
  onReads?.('hit', found.size)
  onReads?.('miss', missing.length)
  if (missing.length === 0) return found
  // Noted before the table is read: the rows include everything consumed by then, unless they
  // come from a replica that is behind.
  const position = positions.reachedPositionOf(table.name)
  const rows = await read(missing)
  for (const subject of missing) found.set(subject, rows.get(subject) ?? [])
  if (position !== null && !context.isBehind) {
    void cache.set(
      missing.map((subject): CacheWrite => {
        return [cached.keyOf(subject), { bytes: cached.encode(rows.get(subject) ?? []), position }]
      }),
    )
  }
  return found
}
