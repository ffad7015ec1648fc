import { type GroupName, groupId } from '../../../libs/tables/declare/group-versions.ts'
import type { Announcement } from '../../../libs/topics/changes.ts'
import type { Committed } from '../../projector/loop/write-through.ts'
import { rateHourOf } from '../clock/follow-changes.ts'

/** All that was ever flushed, and the rows of progress that it left in the tables. */
export class SimulatedProgress {
  readonly flushes: { readonly committed: Committed; readonly at: number }[] = []

  /** How far a group had written its progress, by the time of an announcement. */
  positionAt(group: GroupName, time: number): number {
    const flushed = this.announcedBy(group).filter(({ at }) => at <= time)
    return Math.max(0, ...flushed.map(({ position }) => position))
  }

  /** The newest written hour of chain time with rates. */
  get rateHour(): number {
    return rateHourOf(this.announcedBy('dimensions').at(-1)?.time ?? null)
  }

  private announcedBy(group: GroupName): readonly (Announcement & { readonly at: number })[] {
    const all = this.flushes.map(({ committed, at }) => ({ ...committed.announcement, at }))
    return all.filter((announced) => announced.group === groupId(group))
  }
}
