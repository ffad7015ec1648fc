import { type Announcement, bucketCount, bucketOf } from '../../libs/topics/changes.ts'
import type { Positions } from './positions.ts'

type Group = Announcement['group']
const groups: readonly Group[] = ['ledger', 'state', 'dimensions']

/** A family of lists, and the group whose announcements tell of it. */
export interface Family {
  readonly name: string
  readonly group: Group
}

/** How much of topic `changes` was heard. A log that was made anew begins another life. */
export interface Moment {
  readonly life: number
  /** All announcements below this offset were heard, or are known to be lost. */
  readonly offset: number
}

interface Followed {
  readonly group: Group
  /** For each bucket the moment after its last announcement; 0: not heard of. 4 MiB once needed. */
  movedAt: Uint32Array | null
  anyMovedAt: number
}

/**
 * What moved when, by what this process heard on `changes`. All processes read the same log, so a
 * moment says the same in each of them. What was read after the last announcement that touched it
 * is still as announced.
 */
export class Moved {
  private moment: Moment = { life: 0, offset: 0 }
  /** What moved before it is not known: whatever was read then counts as moved. */
  private floor = 0
  private readonly reached = new Map<Group, number>()
  /** Groups that may have announced more than was heard. */
  private readonly ahead = new Set<Group>()
  private readonly everythingAt = new Map<Group, number>()
  private readonly families = new Map<string, Followed>()

  private readonly positions: Positions | null

  /** @param positions of what lies in the shared cache; hears what this hears. */
  constructor(families: readonly Family[], positions: Positions | null = null) {
    this.positions = positions
    for (const { name, group } of families) {
      this.families.set(name, { group, movedAt: null, anyMovedAt: 0 })
    }
  }

  /** The moment to note before reading: what moves later makes the reading old. */
  get now(): Moment {
    return this.moment
  }

  /** Begins to hear from `offset` on. Below the present offset it is another log. */
  beginAt(offset: number): void {
    const { life } = this.moment
    if (offset < this.moment.offset) {
      for (const family of this.families.values()) {
        family.movedAt = null
        family.anyMovedAt = 0
      }
      this.everythingAt.clear()
      this.reached.clear()
    }
    this.missed()
    this.moment = { life: offset < this.moment.offset ? life + 1 : life, offset }
    this.floor = offset
  }

  /** Says how far a group was before the first announcement that is heard. */
  reachedBefore(group: Group, position: number): void {
    this.ahead.delete(group)
    this.reached.set(group, Math.max(position, this.reached.get(group) ?? 0))
    this.positions?.reachedBefore(group, position)
  }

  /** How far a group has announced; null where that is not known. */
  announced(group: Group): number | null {
    return this.ahead.has(group) ? null : (this.reached.get(group) ?? 0)
  }

  /** Whether announcements were missed of which nothing came since. */
  get isBehind(): boolean {
    return this.ahead.size > 0
  }

  private missed(): void {
    for (const group of groups) this.ahead.add(group)
    this.positions?.forget()
  }

  /** Says that a group had nothing to announce before. */
  begunBy(group: Group): void {
    this.ahead.delete(group)
  }

  /** @param announced null where nobody can read it: it may have told of anything. */
  hear(offset: number, announced: Announcement | null): void {
    const { life, offset: expected } = this.moment
    const at = offset + 1
    // Told twice.
    if (at <= expected) return
    this.moment = { life, offset: at }
    if (offset > expected || announced === null) {
      this.floor = announced === null ? at : offset
      this.missed()
    }
    if (announced === null) return
    const { group, after, position, moved } = announced
    this.ahead.delete(group)
    const reached = this.reached.get(group)
    const isAll = moved === 'everything' || (reached !== undefined && after > reached)
    if (isAll) this.everythingAt.set(group, at)
    this.positions?.hear(announced, isAll)
    this.reached.set(group, Math.max(position, reached ?? 0))
    if (moved === 'everything') return
    for (const [name, buckets] of Object.entries(moved)) this.moveBuckets(name, buckets, at)
  }

  private moveBuckets(name: string, buckets: readonly number[], at: number): void {
    const family = this.families.get(name)
    if (family === undefined || buckets.length === 0) return
    family.movedAt ??= new Uint32Array(bucketCount)
    for (const bucket of buckets) family.movedAt[bucket] = at
    family.anyMovedAt = at
  }

  /** Whether nothing was announced of a subject since `moment`. */
  isStill(family: string, subject: string, moment: Moment): boolean {
    return this.areStill(family, [bucketOf(subject)], moment)
  }

  /** The same of buckets. */
  areStill(name: string, buckets: Iterable<number>, moment: Moment): boolean {
    const family = this.families.get(name)
    if (family === undefined || !this.isKnownSince(family.group, moment)) return false
    const { movedAt } = family
    if (movedAt === null) return true
    const { offset } = moment
    for (const bucket of buckets) if ((movedAt[bucket] ?? 0) > offset) return false
    return true
  }

  /** Whether nothing at all was announced of a family since `moment`. */
  isWholeStill(name: string, moment: Moment): boolean {
    const family = this.families.get(name)
    if (family === undefined || !this.isKnownSince(family.group, moment)) return false
    return family.anyMovedAt <= moment.offset
  }

  /** Whether all that the group moved since `moment` is known by its buckets. */
  private isKnownSince(group: Group, { life, offset }: Moment): boolean {
    if (life !== this.moment.life || offset < this.floor) return false
    return (this.everythingAt.get(group) ?? 0) <= offset
  }
}
