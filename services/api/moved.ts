import { type Announcement, bucketCount, bucketOf } from '../../libs/topics/changes.ts'

/**
 * What moved when, counted in announcements heard by this process. What was read after the last
 * announcement that touched it is still as announced.
 */
export class Moved {
  /** Announcements heard so far. */
  private heard = 0
  private everythingAt = 0
  private readonly families: ReadonlySet<string>
  /** For each family that ever moved, when each bucket did last: 4 MiB a family. */
  private readonly movedAt = new Map<string, Uint32Array>()

  constructor(families: readonly string[]) {
    this.families = new Set(families)
  }

  /** The moment to note before reading: what moves later makes the reading old. */
  get now(): number {
    return this.heard
  }

  hear({ moved }: Pick<Announcement, 'moved'>): void {
    this.heard++
    if (moved === 'everything') {
      this.everythingAt = this.heard
      return
    }
    for (const [family, buckets] of Object.entries(moved)) {
      if (!this.families.has(family)) continue
      const movedAt = this.movedAt.get(family) ?? new Uint32Array(bucketCount)
      this.movedAt.set(family, movedAt)
      for (const bucket of buckets) movedAt[bucket] = this.heard
    }
  }

  /** Whether nothing was announced of a subject since `moment`. */
  isStill(family: string, subject: string, moment: number): boolean {
    const movedAt = this.families.has(family)
      ? (this.movedAt.get(family)?.[bucketOf(subject)] ?? 0)
      : this.heard
    return movedAt <= moment && this.everythingAt <= moment
  }
}
