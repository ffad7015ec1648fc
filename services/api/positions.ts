import { cachedTables, clockOf } from '../../libs/tables/cached-rows.ts'
import { type Announcement, bucketCount, bucketOf } from '../../libs/topics/changes.ts'

interface Clock {
  /** How far its group is known to have come; null: not heard of, or not since a gap. */
  reached: number | null
  /** … before the gap. What is announced below it comes from somebody late, and ends no gap. */
  lost: number
  /** Content that was read before this position counts as old: what moved then is not known. */
  floor: number
}

interface Followed {
  readonly clock: Clock
  /** For each bucket the position of its last announcement. 8 MiB once needed. */
  movedTo: Float64Array | null
}

/**
 * To which position rows in the shared cache must have been read to be as new as what this process
 * has heard. Entries of projectors tell positions and no moments of `changes`, as they are written
 * before their announcement is.
 */
export class Positions {
  private readonly clocks = new Map<string, Clock>()
  private readonly tables = new Map<string, Followed>()

  constructor() {
    for (const table of cachedTables) {
      const name = clockOf(table)
      const clock = this.clocks.get(name) ?? { reached: null, lost: 0, floor: never }
      this.clocks.set(name, clock)
      this.tables.set(table.name, { clock, movedTo: null })
    }
  }

  /** Announcements are missing: nothing is known until each clock is heard of again. */
  forget(): void {
    for (const clock of this.clocks.values()) {
      clock.lost = Math.max(clock.lost, clock.reached ?? 0)
      clock.reached = null
      clock.floor = never
    }
  }

  /** Takes nothing for known that was announced so far: not all of it need have been heard. */
  beginHere(): void {
    for (const clock of this.clocks.values()) clock.floor = clock.reached ?? never
  }

  /** Says how far a group was before the first announcement that is heard. */
  reachedBefore(group: string, position: number): void {
    const clock = this.clocks.get(group)
    if (clock !== undefined) reach(clock, position, true)
  }

  /** @param isAll whether it must be taken for "everything". */
  hear({ group, position, facts, moved }: Announcement, isAll: boolean): void {
    const reached = group === 'dimensions' ? (facts ?? {}) : { [group]: position }
    for (const [name, to] of Object.entries(reached)) {
      const clock = this.clocks.get(name)
      if (clock !== undefined) reach(clock, to, isAll)
    }
    if (moved === 'everything') return
    for (const table of cachedTables) {
      const to = reached[clockOf(table)]
      if (to !== undefined) this.moveBuckets(table.name, moved[table.name] ?? [], to)
    }
  }

  private moveBuckets(name: string, buckets: readonly number[], to: number): void {
    const table = this.tables.get(name)
    if (table === undefined || buckets.length === 0) return
    table.movedTo ??= new Float64Array(bucketCount)
    for (const bucket of buckets) {
      table.movedTo[bucket] = Math.max(to, table.movedTo[bucket] ?? 0)
    }
  }

  /** The least position of an entry that is as new as what was heard; Infinity: none is. */
  leastOf(name: string, subject: string): number {
    const table = this.tables.get(name)
    if (table === undefined) return never
    return Math.max(table.clock.floor, table.movedTo?.[bucketOf(subject)] ?? 0)
  }

  /** The position of what is read from now on; null where that is not known. */
  reachedBy(name: string): number | null {
    return this.tables.get(name)?.clock.reached ?? null
  }
}

const never = Number.POSITIVE_INFINITY

function reach(clock: Clock, to: number, isAll: boolean): void {
  if (clock.reached === null && to < clock.lost) return
  if (clock.reached === null) clock.floor = to
  else if (isAll) clock.floor = Math.max(clock.floor, to)
  clock.reached = Math.max(to, clock.reached ?? 0)
}
