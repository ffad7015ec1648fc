import { type Store, StoreBehind } from '../../../libs/ports/store.ts'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import { isReplicated } from '../../../libs/tables/is-replicated.ts'
import type { GroupName } from '../../../libs/tables/table.ts'

/** Detects replicas that are behind what was announced. */
export interface ReplicaCheck {
  /** Announced position of a group; null while unknown. */
  readonly announced: (group: GroupName) => number | null
  readonly onBehind: () => void
}

/** Attempts of one query before a result of a late replica is accepted. */
const attemptsMax = 2

/**
 * Queries until a replica answers that has everything announced. If none does, or the announced
 * position is unknown, any replica may answer, and the context is marked as behind.
 * @param query requires the given position, if any; throws StoreBehind
 */
export async function fromCurrentReplica<T>(
  { announced, onBehind, context }: ReplicaCheck & { readonly context: { isBehind: boolean } },
  group: GroupName,
  query: (position: number | undefined) => Promise<T>,
): Promise<T> {
  const position = announced(group)
  if (position === null) {
    context.isBehind = true
    return query(undefined)
  }
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    try {
      return await query(position)
    } catch (error) {
      if (!(error instanceof StoreBehind)) throw error
      onBehind()
    }
  }
  context.isBehind = true
  return query(undefined)
}

/** `auto`: on if the tables are replicated. */
export type ReplicaCheckSetting = 'auto' | 'on' | 'off'

interface ReplicaCheckOptions {
  readonly store: Store
  readonly metrics: Pick<Metrics, 'replicaBehind'>
  readonly log: Log
  readonly replicaCheck?: ReplicaCheckSetting
}

const warnEveryMs = 60_000

/** Null if off. */
export async function replicaCheckOf(
  { store, metrics, log, replicaCheck = 'off' }: ReplicaCheckOptions,
  announced: ReplicaCheck['announced'],
): Promise<ReplicaCheck | null> {
  const isOn = replicaCheck === 'auto' ? await isReplicated(store) : replicaCheck === 'on'
  if (!isOn) return null
  let warnedAt = Number.NEGATIVE_INFINITY
  return {
    announced,
    onBehind() {
      metrics.replicaBehind.inc()
      if (performance.now() - warnedAt < warnEveryMs) return
      warnedAt = performance.now()
      log.warn(
        { event: events.api.replicaBehind, runbook: runbooks.replicaBehind },
        'ClickHouse replica behind the announced position: its results are not cached',
      )
    },
  }
}
