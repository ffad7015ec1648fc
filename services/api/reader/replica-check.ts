import { type Store, StoreBehind } from '../../../libs/ports/store.ts'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import { isReplicated } from '../../../libs/tables/is-replicated.ts'
import type { GroupName } from '../../../libs/tables/table.ts'
import type { ReadContext } from './reads.ts'

/** What is to be checked where several replicas of the store may answer. */
export interface ReplicaCheck {
  /** Up to which position the rows of a group were announced; null where that is not known. */
  readonly announced: (group: GroupName) => number | null
  readonly onBehind: () => void
}

/** Replicas that are asked for one query before a late one is allowed to answer it. */
const attemptsMax = 2

/**
 * Asks until a replica answers that has what was announced. Where none does, or it is not known
 * what was announced, any one answers, and the reading says so.
 * @param ask at least from the position that is given, if one is; throws StoreBehind
 */
export async function fromCurrentReplica<T>(
  { announced, onBehind, context }: ReplicaCheck & { readonly context: ReadContext },
  group: GroupName,
  ask: (position: number | undefined) => Promise<T>,
): Promise<T> {
  const position = announced(group)
  if (position === null) {
    context.isBehind = true
    return ask(undefined)
  }
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    try {
      return await ask(position)
    } catch (error) {
      if (!(error instanceof StoreBehind)) throw error
      onBehind()
    }
  }
  context.isBehind = true
  return ask(undefined)
}

/** Auto: where the tables are replicated. */
export type ReplicaCheckSetting = 'auto' | 'on' | 'off'

interface ReplicaCheckOptions {
  readonly store: Store
  readonly metrics: Pick<Metrics, 'replicaBehind'>
  readonly log: Log
  readonly replicaCheck?: ReplicaCheckSetting
}

const warnEveryMs = 60_000

/** Null where one server alone answers. */
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
        'ClickHouse replica behind what was announced; what it answers is not cached',
      )
    },
  }
}
