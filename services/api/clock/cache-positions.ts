import { clockOf } from '../../../libs/tables/declare/cached-rows.ts'
import type { GroupName } from '../../../libs/tables/declare/group-versions.ts'
import { cachedTables } from '../../../libs/tables/tables/all-tables.ts'
import { type Announcement, bucketCount, bucketOf } from '../../../libs/topics/changes.ts'

/** What is known of the positions of one group, or of one topic of facts. */
interface Progress {
  /** Highest announced position; null: none yet, or none since a gap. */
  reached: number | null
  /** `reached` before the gap. A lower announcement comes from a late sender and ends no gap. */
  beforeGap: number
  /** Entries read before this position count as stale: changes before it are unknown. */
  floor: number
}

interface CachedTable {
  readonly progress: Progress
  /** By bucket, the position of its last announcement. 8 MiB once allocated. */
  changedAt: Float64Array | null
}

/** An announcement of this version of a group. */
interface OfGroup extends Omit<Announcement, 'group'> {
  readonly group: GroupName
}

/** How an announcement relates to those before it. */
interface Received {
  /** Whether it counts as a change of everything. */
  readonly isAll: boolean
  /** Whether its group had announced as much already. */
  readonly isLate: boolean
}

/**
 * The position that rows in the shared cache must have been read at to be as current as what this
 * process has consumed. Projectors write entries with a position and no offset of `changes`, as
 * they write them before they announce.
 */
export class CachePositions {
  private readonly progress = new Map<string, Progress>()
  private readonly tables = new Map<string, CachedTable>()

  constructor() {
    for (const table of cachedTables) {
      const name = clockOf(table)
      const progress = this.progress.get(name) ?? { reached: null, beforeGap: 0, floor: never }
      this.progress.set(name, progress)
      this.tables.set(table.name, { progress, changedAt: null })
    }
  }

  /** Announcements are missing: no entry is valid until the next announcement. */
  invalidateAll(): void {
    for (const progress of this.progress.values()) {
      progress.beforeGap = Math.max(progress.beforeGap, progress.reached ?? 0)
      progress.reached = null
      progress.floor = never
    }
  }

  /** Distrusts entries from before what was announced so far: some of it may not be consumed. */
  distrustEarlier(): void {
    for (const progress of this.progress.values()) progress.floor = progress.reached ?? never
  }

  /** Sets how far a group was before the first announcement that is consumed. */
  advanceTo(group: string, position: number): void {
    const progress = this.progress.get(group)
    if (progress !== undefined) advance(progress, position, true)
  }

  apply({ group, position, facts, moved }: OfGroup, { isAll, isLate }: Received): void {
    const reached = group === 'dimensions' ? (facts ?? {}) : { [group]: position }
    for (const [name, to] of Object.entries(reached)) {
      const progress = this.progress.get(name)
      // A late one does not tell what was missed.
      if (progress === undefined || (isLate && progress.reached === null)) continue
      advance(progress, to, isAll)
    }
    if (moved === 'everything') return
    for (const table of cachedTables) {
      const to = reached[clockOf(table)]
      if (to !== undefined) this.changeBuckets(table.name, moved[table.name] ?? [], to)
    }
  }

  private changeBuckets(name: string, buckets: readonly number[], to: number): void {
    const table = this.tables.get(name)
    if (table === undefined || buckets.length === 0) return
    table.changedAt ??= new Float64Array(bucketCount)
    for (const bucket of buckets) {
      table.changedAt[bucket] = Math.max(to, table.changedAt[bucket] ?? 0)
    }
  }

  /** The least position of a current entry; Infinity: no entry is current. */
  minPositionOf(name: string, subject: string): number {
    const table = this.tables.get(name)
    if (table === undefined) return never
    return Math.max(table.progress.floor, table.changedAt?.[bucketOf(subject)] ?? 0)
  }

  /** The position of rows that are read from now on; null while unknown. */
  reachedPositionOf(name: string): number | null {
    return this.tables.get(name)?.progress.reached ?? null
  }
}

const never = Number.POSITIVE_INFINITY

function advance(progress: Progress, to: number, isAll: boolean): void {
  if (progress.reached === null && to < progress.beforeGap) return
  if (progress.reached === null) progress.floor = to
  else if (isAll) progress.floor = Math.max(progress.floor, to)
  progress.reached = Math.max(to, progress.reached ?? 0)
}
