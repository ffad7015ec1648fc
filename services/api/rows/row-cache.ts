import { SegmentedCache } from '../../../libs/bounds/segmented-cache.ts'
import { namesOf } from '../../../libs/tables/declare/table.ts'
import type { Dependencies } from '../clock/dependencies.ts'
import type { ChangesOffset, InvalidationClock } from '../clock/invalidation-clock.ts'
import type { ReadContext } from './run-question.ts'

interface RowCacheOptions<K, R> {
  /** The table whose announcements invalidate a row. */
  readonly family: string
  readonly rowsMax: number
  /** The subject of each key's announcements, in their order; the keys themselves by default. */
  readonly subjectsOf?: (keys: readonly K[]) => readonly string[]
  readonly clock: InvalidationClock
  readonly read: (subjects: readonly K[], context: ReadContext) => Promise<ReadonlyMap<K, R>>
  /** The current throttle window; null while the chain's time is unknown. */
  readonly window?: () => number | null
  readonly onReads?: (outcome: 'hit' | 'miss' | 'absent', count: number) => void
  /** Whether a subject has no row, as far as that is known without reading. */
  readonly isAbsent?: (subject: string) => boolean
}

interface Entry<R> {
  /** Null: not found. */
  readonly row: R | null
  readonly readAt: ChangesOffset
  readonly window: number | null
  /** The answer that it was read for. */
  readonly readBy: number
}

export interface LookupOptions {
  readonly on: Dependencies
  /** Whether a token's stats may be as of the beginning of the window, or of any time. */
  readonly stats: 'exact' | 'throttled' | 'unused'
  readonly context: ReadContext
}

/** Rows by subject, cached until a change of the subject is announced. */
export class RowCache<K extends string, R> {
  private readonly options: RowCacheOptions<K, R>
  private readonly entries: SegmentedCache<Entry<R>>

  constructor(options: RowCacheOptions<K, R>) {
    this.options = options
    this.entries = new SegmentedCache({ sizeMax: options.rowsMax, sizeOf: () => 1 })
  }

  /** Those that exist. */
  async get(keys: Iterable<K>, { on, stats, context }: LookupOptions): Promise<ReadonlyMap<K, R>> {
    const wanted = [...(keys instanceof Set ? keys : new Set(keys))]
    const found = new Map<K, R>()
    if (wanted.length === 0) return found
    const { family, clock, subjectsOf, isAbsent } = this.options
    const subjects: readonly string[] = subjectsOf?.(wanted) ?? wanted
    // Rows would be checked by the changes of others, and pages stay as they were.
    if (subjects.length !== wanted.length) throw new Error(`${family}: not a subject for each key`)
    const missing: K[] = []
    let absent = 0
    let oldest = clock.now.offset
    for (const [at, key] of wanted.entries()) {
      const entry = this.entries.peek(key)
      const subject = subjects[at] ?? key
      const isCurrent = entry !== undefined && clock.isUnchanged(family, subject, entry.readAt)
      if (
        entry === undefined ||
        !(isCurrent || (stats !== 'exact' && this.isCurrentButStats(subject, entry, { on, stats })))
      ) {
        if (isAbsent?.(subject) !== true) missing.push(key)
        else absent += 1
        continue
      }
      // An answer looks up the same rows more than once: that alone must not protect an entry.
      if (entry.readBy !== on.answer) this.entries.use(key)
      if (!isCurrent) oldest = Math.min(oldest, entry.readAt.offset)
      if (entry.row !== null) found.set(key, entry.row)
    }
    // Recorded before anything is awaited: a change from now on makes the answer stale.
    if (stats === 'exact') on.on(family, subjects)
    else if (stats === 'throttled') on.onThrottled(family, subjects, oldest)
    else on.on(namesOf(family), subjects)
    this.options.onReads?.('hit', wanted.length - missing.length - absent)
    this.options.onReads?.('absent', absent)
    if (missing.length > 0) await this.read(missing, { on, context, found })
    return found
  }

  /** Whether nothing changed but stats, which the answer may show throttled, or does not show. */
  private isCurrentButStats(
    subject: string,
    { readAt, window: readIn }: Entry<R>,
    { on, stats }: Pick<LookupOptions, 'on' | 'stats'>,
  ): boolean {
    const { family, clock } = this.options
    const isInWindow = on.window !== null && on.window === readIn
    if (stats === 'throttled' && !isInWindow) return false
    return clock.isUnchanged(namesOf(family), subject, readAt)
  }

  private async read(
    missing: readonly K[],
    { on, context, found }: Pick<LookupOptions, 'on' | 'context'> & { found: Map<K, R> },
  ): Promise<void> {
    const readAt = this.options.clock.now
    const window = this.options.window?.() ?? null
    this.options.onReads?.('miss', missing.length)
    const rows = await this.options.read(missing, context)
    for (const key of missing) {
      const row = rows.get(key) ?? null
      if (!context.isBehind) this.entries.set(key, { row, readAt, window, readBy: on.answer })
      if (row !== null) found.set(key, row)
    }
  }
}
