import {
  type GroupName,
  groupNames,
  groupOfId,
} from '../../../libs/tables/declare/group-versions.ts'
import { type Announcement, bucketCount, bucketOf } from '../../../libs/topics/changes.ts'
import type { CachePositions } from './cache-positions.ts'

/** A family of lists, and the group that announces its changes. */
export interface Family {
  readonly name: string
  readonly group: GroupName
}

/** How far topic `changes` was consumed. A recreated topic starts a new epoch. */
export interface ChangesOffset {
  readonly epoch: number
  /** All announcements below this offset were applied, or are known to be lost. */
  readonly offset: number
}

interface FamilyChanges {
  readonly group: GroupName
  /** By bucket, the offset after its last announcement; 0: none. 4 MiB once allocated. */
  changedAt: Uint32Array | null
  anyChangedAt: number
}

/**
 * What changed at which offset, as far as this process has consumed `changes`. All processes read
 * the same topic, so an offset means the same in each of them. What was read after the last
 * announcement that concerns it is current.
 */
export class InvalidationClock {
  private current: ChangesOffset = { epoch: 0, offset: 0 }
  /** Changes before this offset are unknown: everything read earlier counts as changed. */
  private floor = 0
  private readonly reached = new Map<GroupName, number>()
  /** Groups that may have announced more than was consumed. */
  private readonly withGap = new Set<GroupName>()
  private readonly everythingAt = new Map<GroupName, number>()
  private readonly families = new Map<string, FamilyChanges>()

  private readonly positions: CachePositions | null

  /** @param positions of entries in the shared cache; receives every announcement too. */
  constructor(families: readonly Family[], positions: CachePositions | null = null) {
    this.positions = positions
    for (const { name, group } of families) {
      this.families.set(name, { group, changedAt: null, anyChangedAt: 0 })
    }
  }

  /** The offset to note before reading: a later change makes the result stale. */
  get now(): ChangesOffset {
    return this.current
  }

  /** Continues at `offset`. An offset below the current one means a recreated topic. */
  seek(offset: number): void {
    const { epoch } = this.current
    const isRecreated = offset < this.current.offset
    if (isRecreated) {
      for (const family of this.families.values()) {
        family.changedAt = null
        family.anyChangedAt = 0
      }
      this.everythingAt.clear()
      this.reached.clear()
    }
    this.markGap()
    this.current = { epoch: isRecreated ? epoch + 1 : epoch, offset }
    this.floor = offset
  }

  /** Sets how far a group was before the first announcement that is consumed. */
  advanceTo(group: GroupName, position: number): void {
    this.closeGap(group)
    this.reached.set(group, Math.max(position, this.reached.get(group) ?? 0))
    this.positions?.advanceTo(group, position)
  }

  /** Position that a group has announced; null while unknown. */
  announcedPosition(group: GroupName): number | null {
    return this.withGap.has(group) ? null : (this.reached.get(group) ?? 0)
  }

  /** Whether announcements of a group were missed and no newer one was received since. */
  get hasGap(): boolean {
    return this.withGap.size > 0
  }

  private markGap(): void {
    for (const group of groupNames) this.withGap.add(group)
    this.positions?.invalidateAll()
  }

  /** The progress of the group was read: no announcement before it is missing. */
  closeGap(group: GroupName): void {
    this.withGap.delete(group)
  }

  /** @param announced null for an unreadable announcement, which may concern anything. */
  apply(offset: number, announced: Announcement | null): void {
    const { epoch, offset: expected } = this.current
    const at = offset + 1
    // A redelivery.
    if (at <= expected) return
    this.current = { epoch, offset: at }
    if (offset > expected || announced === null) {
      this.floor = announced === null ? at : offset
      this.markGap()
    }
    if (announced === null) return
    const { after, position, moved } = announced
    const group = groupOfId(announced.group)
    // Of another version, whose tables this process does not read.
    if (group === null) return
    const reached = this.reached.get(group)
    // It says nothing of those that were missed.
    const isLate = reached !== undefined && position <= reached
    if (!isLate) this.closeGap(group)
    const isAll = moved === 'everything' || (reached !== undefined && after > reached)
    if (isAll) this.everythingAt.set(group, at)
    this.positions?.apply({ ...announced, group }, { isAll, isLate })
    this.reached.set(group, Math.max(position, reached ?? 0))
    if (moved === 'everything') return
    for (const [name, buckets] of Object.entries(moved)) this.changeBuckets(name, buckets, at)
  }

  private changeBuckets(name: string, buckets: readonly number[], at: number): void {
    const family = this.families.get(name)
    if (family === undefined || buckets.length === 0) return
    family.changedAt ??= new Uint32Array(bucketCount)
    for (const bucket of buckets) family.changedAt[bucket] = at
    family.anyChangedAt = at
  }

  /** Whether no change of a subject was announced since an offset. */
  isUnchanged(family: string, subject: string, since: ChangesOffset): boolean {
    return this.areUnchanged(family, [bucketOf(subject)], since)
  }

  /** The same for buckets. */
  areUnchanged(name: string, buckets: ArrayLike<number>, since: ChangesOffset): boolean {
    const family = this.families.get(name)
    if (family === undefined || !this.isKnownSince(family.group, since)) return false
    const { changedAt } = family
    if (changedAt === null) return true
    const { offset } = since
    for (let at = 0; at < buckets.length; at++) {
      if ((changedAt[buckets[at] ?? 0] ?? 0) > offset) return false
    }
    return true
  }

  /** Whether no change of a whole family was announced since an offset. */
  isFamilyUnchanged(name: string, since: ChangesOffset): boolean {
    const family = this.families.get(name)
    if (family === undefined || !this.isKnownSince(family.group, since)) return false
    return family.anyChangedAt <= since.offset
  }

  /** Whether all changes of the group since then are known by bucket. */
  private isKnownSince(group: GroupName, { epoch, offset }: ChangesOffset): boolean {
    if (epoch !== this.current.epoch || offset < this.floor) return false
    return (this.everythingAt.get(group) ?? 0) <= offset
  }
}
