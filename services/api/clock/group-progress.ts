import type { Store } from '../../../libs/ports/store.ts'
import { marksOfReplicas, progressOf } from '../../../libs/queries/progress.ts'
import { groupId, groupNames } from '../../../libs/tables/declare/group-versions.ts'
import { type HeadOfGroups, rateHourOf } from './follow-changes.ts'
import type { InvalidationClock } from './invalidation-clock.ts'

interface ProgressOf {
  readonly store: Store
  /** Whether one of several replicas may be late. */
  readonly isReplicated: boolean
}

/** Reads the groups' progress, which they write before each announcement: never behind these. */
export async function readProgress(
  { store, isReplicated }: ProgressOf,
  head: HeadOfGroups,
  clock: InvalidationClock,
): Promise<void> {
  const progress = await (isReplicated ? marksOfReplicas(store, groupNames) : progressOf(store))
  for (const group of groupNames) {
    const row = progress.get(group)
    clock.closeGap(group)
    if (row === undefined) continue
    const { position, blockNumber: block, timestamp: time, knownFrom } = row
    head.apply({ group: groupId(group), position, block, time, knownFrom })
    clock.advanceTo(group, row.position)
  }
}

/** The newest hour of chain time with rates; 0: none. */
interface RateHours {
  readonly rateHour: () => number
  readonly writtenRateHour: () => Promise<number>
}

/** As announced and as written. */
export function rateHoursIn(store: Store, head: HeadOfGroups): RateHours {
  let reading: Promise<number> | null = null
  async function read() {
    try {
      const written = (await marksOfReplicas(store, ['dimensions'])).get('dimensions')
      return rateHourOf(written?.timestamp ?? null)
    } finally {
      reading = null
    }
  }
  return {
    rateHour: () => head.rateHour,
    /** One read for all that wait. */
    writtenRateHour(): Promise<number> {
      reading ??= read()
      return reading
    },
  }
}
