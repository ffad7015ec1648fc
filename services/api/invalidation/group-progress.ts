import type { Store } from '../../../libs/ports/store.ts'
import { marksOfReplicas, progressOf, replicaAttempts } from '../../../libs/queries/progress.ts'
import { type HeadOfGroups, rateHourOf } from './follow-changes.ts'
import type { InvalidationClock } from './invalidation-clock.ts'

const groups = ['ledger', 'state', 'dimensions'] as const

/** Reads the groups' progress, which they write before each announcement: never behind these. */
export async function readProgress(
  store: Store,
  head: HeadOfGroups,
  clock: InvalidationClock,
): Promise<void> {
  const progress = await progressOf(store)
  for (const group of groups) {
    const row = progress.get(group)
    clock.closeGap(group)
    if (row === undefined) continue
    const { position, blockNumber: block, timestamp: time, knownFrom } = row
    head.apply({ group, position, block, time, knownFrom })
    clock.advanceTo(group, row.position)
  }
}

/** From several replicas in turn, as one of them may be late. */
export async function readProgressOfReplicas(
  store: Store,
  head: HeadOfGroups,
  clock: InvalidationClock,
): Promise<void> {
  for (let read = 0; read < replicaAttempts; read++) await readProgress(store, head, clock)
}

/** The newest hour of chain time with rates; 0: none. */
export const rateHoursIn = (store: Store, head: HeadOfGroups) => ({
  rateHour: () => head.rateHour,
  async writtenRateHour() {
    const group = 'dimensions'
    const written = (await marksOfReplicas(store, [group])).get(group)
    return rateHourOf(written?.timestamp ?? null)
  },
})
