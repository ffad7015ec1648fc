import type { EventLog } from '../../../libs/ports/event-log.ts'
import type { StateStore } from '../../../libs/ports/state-store.ts'
import type { Store } from '../../../libs/ports/store.ts'
import type { BlockStage } from '../../../libs/signals/block-stage.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import type { GroupName } from '../../../libs/tables/declare/group-versions.ts'
import { encodeMessage } from '../../../libs/topics/codec.ts'
import { type DeadLetter, deadLetterTopic } from '../../../libs/topics/topics.ts'
import { type ProgressRow, writeProgress } from '../log-identity/marks.ts'
import { outboxKey } from '../volume/state-keys.ts'
import { announcementBytes, publish } from './announce.ts'
import type { Batch } from './batch.ts'
import type { Committed, WriteThrough } from './write-through.ts'

/** The steps of a commit after its marks, in the order that invariant 5 gives. */
export const steps = ['rows', 'progress', 'state', 'announced', 'outbox'] as const
export type Step = (typeof steps)[number]

export interface CommitPorts {
  readonly group: GroupName
  readonly eventLog: EventLog
  readonly store: Store
  readonly state: StateStore
  readonly metrics: Metrics | undefined
  /** Of groups that fold blocks. */
  readonly stages?: { readonly stored: BlockStage; readonly announced: BlockStage }
  /** Called after each step; what it throws ends the projector there, as a kill would. */
  readonly between: (step: Step) => Promise<void>
  readonly writeThrough: WriteThrough
}

/** What a flush writes. How and in which order it is written is the same for all groups. */
export interface Flush {
  /** Null if an earlier process has written the rows. */
  readonly written: WrittenFlush | null
  /** All that the volume must hold to be the resume point, without the announcement. */
  readonly writes: readonly (readonly [key: Buffer, value: Buffer | null])[]
  /** Null if readers need not know. */
  readonly announced: Committed | null
  /** When the ingestor first had the oldest new block, in ms since 1970; null without any. */
  readonly seen?: number | null
}

interface WrittenFlush {
  readonly batch: Batch
  readonly deadLetters: readonly DeadLetter[]
  /** How far the rows go then, with the marks that are passed. */
  readonly progress: readonly ProgressRow[]
}

export interface CommitCost {
  readonly rows: number
  readonly milliseconds: number
}

/**
 * The first step of a commit: rows of `progress` that identify the log of the rows, before there
 * are any, as a kill may leave rows above progress. Does not have to wait for the commit before.
 */
export async function writeMarks(
  { state, store }: CommitPorts,
  marks: readonly ProgressRow[],
): Promise<void> {
  if (marks.length === 0) return
  state.assertHeld()
  await writeProgress(store, marks)
}

/**
 * Invariant 5: the order of every commit, after its marks (`writeMarks`) and while this process
 * still owns the volume. Rows of all tables acknowledged, and dead letters; rows of progress; the
 * state with its undo records or offsets, and the announcement in the outbox; the announcement
 * published, and hot rows written to Redis; the outbox emptied. After a kill between two steps, the
 * next start continues at the step that is missing.
 */
export async function commit(ports: CommitPorts, flush: Flush): Promise<CommitCost> {
  const { eventLog, store, state, between, metrics, group } = ports
  const { written, writes, announced, seen = null } = flush
  const startedAt = performance.now()
  if (written !== null) {
    state.assertHeld()
    await written.batch.insertAll(store)
    for (const letter of written.deadLetters) {
      const { topic, key, reason } = letter
      await eventLog.append(deadLetterTopic(topic), [{ key, value: encodeMessage(letter) }])
      metrics?.deadLetters.inc({ topic, reason })
    }
    await between('rows')
    await writeProgress(store, written.progress)
    ports.stages?.stored.reached(seen)
    await between('progress')
  }
  if (announced === null) {
    await state.commit(writes)
    await between('state')
  } else {
    const bytes = announcementBytes(announced.announcement)
    const key = outboxKey(announced.announcement.position)
    await state.commit([...writes, [key, bytes]])
    await between('state')
    // Concurrently: neither waits for the other, and a late cache entry is harmless.
    const cached = ports.writeThrough(announced)
    // Awaited below: avoids an unhandledRejection until then.
    cached.catch(() => {})
    await publish(eventLog, group, { bytes, seen })
    ports.stages?.announced.reached(seen)
    await cached
    await between('announced')
    await state.commit([[key, null]])
    await between('outbox')
  }
  const cost = { rows: written?.batch.rowCount ?? 0, milliseconds: performance.now() - startedAt }
  metrics?.flushSeconds.durationsOf(group).observe(cost.milliseconds / 1_000)
  metrics?.flushedRows.inc({ group }, cost.rows)
  return cost
}
