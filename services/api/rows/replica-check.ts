import {
  type Store,
  StoreBehind,
  StoreDenied,
  StoreMissing,
  type WholeReplicas,
} from '../../../libs/ports/store.ts'
import { type ReplicaPoll, ReplicaPolls } from '../../../libs/queries/whole-replicas.ts'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import type { GroupName } from '../../../libs/tables/declare/group-versions.ts'
import { currentDatabase, ownCluster } from '../../../libs/tables/replica-states.ts'
import { replicationOf } from '../../../libs/tables/replication-of.ts'

/** Detects replicas that are behind what was announced, or that are being filled. */
export interface ReplicaCheck {
  /** Announced position of a group; null while unknown. */
  readonly announced: (group: GroupName) => number | null
  readonly onBehind: () => void
  /** States of the servers; null where they have the same parts, and no queue for each table. */
  readonly polls: Pick<ReplicaPolls<AnnouncedPositions>, 'known'> | null
}

/** Which replicas may answer a query: those of a list, or those that have a position. */
export interface ReplicaCondition {
  readonly replicas?: WholeReplicas
  readonly position?: number
}

/** Announced before a poll began, which then has found all of it. */
export type AnnouncedPositions = Readonly<Record<GroupName, number | null>>

/** Attempts of one query: each may reach another server. If one of three is whole, 9 % fail. */
const attemptsMax = 6
/** Those by the same states; the others each wait for newer ones. */
const attemptsByStates = 3

/**
 * Queries until a replica answers that has everything announced. While the announced position is
 * unknown the context is marked as behind: what a whole replica returns then must not be cached.
 * @param query rejects with StoreBehind where the replica that answers does not meet the condition
 * @throws StoreBehind if none does
 */
export async function fromCurrentReplica<T>(
  { announced, onBehind, polls, context }: ReplicaCheck & { readonly context: BehindContext },
  group: GroupName,
  query: (condition: ReplicaCondition) => Promise<T>,
): Promise<T> {
  const position = announced(group)
  if (position === null) context.isBehind = true
  if (polls === null && position === null) return query({})
  let refused: ReplicaPoll<AnnouncedPositions> | null = null
  const isEnough = (poll: ReplicaPoll<AnnouncedPositions>) =>
    poll !== refused && (position === null || (poll.mark[group] ?? -1) >= position)
  for (let attempt = 1; ; attempt++) {
    try {
      if (polls === null) return await query({ position: position ?? 0 })
      const poll = await polls.known(isEnough)
      if (attempt >= attemptsByStates) refused = poll
      return await query({ replicas: poll.whole })
    } catch (error) {
      // A server that lacks a table is about to be filled.
      if (!(error instanceof StoreBehind) && !(error instanceof StoreMissing)) throw error
      onBehind()
      if (attempt === attemptsMax) throw error
    }
  }
}

interface BehindContext {
  isBehind: boolean
}

/** `auto`: on if the tables are replicated. */
export type ReplicaCheckSetting = 'auto' | 'on' | 'off'

interface ReplicaCheckOptions {
  readonly store: Store
  readonly metrics: Pick<Metrics, 'replicaBehind'>
  readonly log: Log
  readonly replicaCheck?: ReplicaCheckSetting
  /** Whose servers are polled; empty: the largest one of the server that answers. */
  readonly cluster?: string
  /** Ends the polls. */
  readonly signal: AbortSignal
}

const warnEveryMs = 60_000
const namedMax = 3

/** Null if off. @throws StoreDenied where the user may not read the states of the replicas */
export async function replicaCheckOf(
  { store, metrics, log, replicaCheck = 'off', cluster = '', signal }: ReplicaCheckOptions,
  announced: ReplicaCheck['announced'],
): Promise<ReplicaCheck | null> {
  if (replicaCheck === 'off') return null
  const replication = await replicationOf(store)
  if (replication === null && replicaCheck === 'auto') return null
  let last: ReplicaPoll<AnnouncedPositions> | null = null
  let warnedAt = Number.NEGATIVE_INFINITY
  const check = {
    announced,
    onBehind() {
      metrics.replicaBehind.inc()
      if (performance.now() - warnedAt < warnEveryMs) return
      warnedAt = performance.now()
      const named = last?.behind.slice(0, namedMax).join('; ') || 'not the servers that were polled'
      log.warn(
        { event: events.api.replicaBehind, runbook: runbooks.replicaBehind },
        `ClickHouse replica lacks rows, its results are not used: ${named}`,
      )
    },
  }
  if (replication !== 'fetched') return { ...check, polls: null }
  const polls = new ReplicaPolls({
    store,
    database: await currentDatabase(store),
    cluster: cluster === '' ? await ownCluster(store) : cluster,
    mark: (): AnnouncedPositions => ({
      ledger: announced('ledger'),
      state: announced('state'),
      dimensions: announced('dimensions'),
    }),
    onPoll: (poll) => {
      if (poll.partsLost > (last?.partsLost ?? 0)) logLostParts(log, poll.partsLost)
      last = poll
    },
  })
  signal.addEventListener('abort', () => polls.stop())
  try {
    await polls.known(() => true)
  } catch (error) {
    // What passes is asked again.
    if (error instanceof StoreDenied) {
      polls.stop()
      throw error
    }
  }
  return { ...check, polls }
}

const logLostParts = (log: Log, partsLost: number) =>
  log.error(
    { event: events.api.partsLost, runbook: runbooks.replicaReplaced, partsLost },
    `ClickHouse has lost ${partsLost} parts of a table on all replicas: their rows are missing`,
  )
