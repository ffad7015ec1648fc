import { type Announcement, bucketCount, bucketOf } from '../../libs/topics/changes.ts'

/**
 * What moved when, counted in announcements heard by this process. What was read after the last
 * announcement that touched it is still as announced.
 */
export class Moved {
  /** Announcements heard so far. */
  private heard = 0
  private everythingAt = 0
  /** For each family, when each bucket moved last; 4 MiB a family that anyone asks for. */
  private readonly families = new Map<string, Uint32Array>()

  constructor(families: readonly string[]) {
    for (const family of families) this.families.set(family, new Uint32Array(bucketCount))
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
      const movedAt = this.families.get(family)
      if (movedAt === undefined) continue
      for (const bucket of buckets) movedAt[bucket] = this.heard
    }
  }

  /** Whether nothing was announced of a subject since `moment`. */
  isStill(family: string, subject: string, moment: number): boolean {
    const movedAt = this.families.get(family)?.[bucketOf(subject)] ?? this.heard
    return movedAt <= moment && this.everythingAt <= moment
  }
}
