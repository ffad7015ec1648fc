import type { EventLog } from '../../libs/ports/event-log.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import type { Store } from '../../libs/ports/store.ts'
import type { BlocksGroup } from '../../libs/projections/group.ts'
import { announcementBytes, announcementOf, publish } from './announce.ts'
import { type Batch, CacheableRows } from './batch.ts'
import type { PendingCommit } from './group-state.ts'
import {
  aheadMarkOf,
  firstMarkOf,
  marksPassed,
  progressRows,
  type Reached,
  writeProgress,
} from './marks.ts'
import { outboxKey } from './state-keys.ts'
import type { Committed, WriteThrough } from './write-through.ts'

/** A flush that is about to begin. */
interface NextFlush {
  /** How far the rows of all flushes before it go, without one that is under way. */
  readonly after: number
  /** How far its rows will go. */
  readonly reached: Reached
  /** The log's first message, until a row identifies the log; then null. */
  readonly first: Reached | null
}

/** The steps of a commit after its marks, in the order that invariant 5 gives. */
export const steps = ['rows', 'progress', 'state', 'announced', 'outbox'] as const
export type Step = (typeof steps)[number]

export interface FlushPorts {
  readonly group: BlocksGroup['name']
  readonly log: EventLog
  readonly store: Store
  readonly state: StateStore
  /** Called after each step; what it throws ends the projector there, as a kill would. */
  readonly between: (step: Step) => Promise<void>
  readonly writeThrough: WriteThrough
}

/**
 * Writes the marks that identify the log of the next flush, before its rows: a kill may leave rows
 * above progress. A mark that replaces the one of the flush under way covers the rows of both.
 */
export async function markAhead(
  { group, store, state }: FlushPorts,
  { after, reached, first }: NextFlush,
): Promise<void> {
  state.assertHeld()
  await writeProgress(store, [
    ...(first === null ? [] : progressRows([firstMarkOf(group)], first)),
    ...progressRows([aheadMarkOf(group, reached.position - after)], reached),
  ])
}

/**
 * Invariant 5. After the marks (`markAhead`), and while this process still owns the volume: rows of
 * all tables acknowledged; rows of progress; the state with its undo records and the announcement
 * in the outbox; the announcement published, and hot rows written to Redis; the outbox emptied.
 * After a kill between two steps, the next start continues at the step that is missing.
 */
export async function flush(
  ports: FlushPorts,
  pending: PendingCommit,
  batch: Batch,
): Promise<void> {
  const { group, store, state, between } = ports
  state.assertHeld()
  await batch.insertAll(store)
  await between('rows')
  const marks = marksPassed(group, pending.after, pending.accepted.sequence)
  await writeProgress(
    store,
    progressRows(marks, { ...reachedBy(pending), knownFrom: pending.knownFrom }),
  )
  await between('progress')
  const announcement = announcementOf(group, { ...pending, moved: batch.touched.announced })
  await commitAndAnnounce(ports, pending, { announcement, hot: batch.touched.hot })
}

/**
 * A flush of messages whose rows an earlier life has written. Only the last of them is
 * announced: the announcements of that life may have been lost with its volume.
 */
export async function flushSilently(ports: FlushPorts, pending: PendingCommit): Promise<void> {
  const { group, state, between } = ports
  if (pending.accepted.sequence === pending.silentUntil) {
    const announcement = announcementOf(group, { ...pending, moved: 'everything' })
    await commitAndAnnounce(ports, pending, { announcement, hot: new CacheableRows() })
    return
  }
  await state.commit(pending.writes)
  await between('state')
}

async function commitAndAnnounce(
  { log, state, between, writeThrough }: FlushPorts,
  pending: PendingCommit,
  committed: Committed,
): Promise<void> {
  const { announcement } = committed
  const bytes = announcementBytes(announcement)
  const key = outboxKey(pending.accepted.sequence)
  await state.commit([...pending.writes, [key, bytes]])
  await between('state')
  // Concurrently: neither waits for the other, and a late cache entry is harmless.
  const written = writeThrough(committed)
  // Awaited below; until then its failure is no stray rejection.
  written.catch(() => {})
  await publish(log, announcement.group, bytes)
  await written
  await between('announced')
  await state.commit([[key, null]])
  await between('outbox')
}

/** As a row of progress names it. */
export const reachedBy = ({
  accepted: { sequence, head },
  prefix,
}: Pick<PendingCommit, 'accepted' | 'prefix'>): Reached => ({
  position: sequence,
  blockNumber: head?.number ?? null,
  blockHash: head?.hash ?? null,
  timestamp: head?.timestamp ?? null,
  logHash: prefix,
})
