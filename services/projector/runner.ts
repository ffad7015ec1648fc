import { setImmediate as breathe } from 'node:timers/promises'
import type { EventLog } from '../../libs/ports/event-log.ts'
import type { Log } from '../../libs/signals/log.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import type { SkipReason } from '../../libs/topics/acceptance.ts'
import { publishOutbox } from './announce.ts'
import { Batch } from './batch.ts'
import type { Checkpoint } from './checkpoint.ts'
import { decodedReader, type ReadMessage, type ReadPart } from './decoded-reader.ts'
import { type FlushPorts, flush, flushSilently, markAhead, reachedBy } from './flush.ts'
import { type Folded, fold, takePart } from './fold.ts'
import {
  beginCommit,
  endCommit,
  type GroupState,
  groupStateAt,
  type PendingCommit,
} from './group-state.ts'
import type { ProjectorLimits } from './limits.ts'
import { firstMessage, LogReplaced, PrefixProof } from './log-prefix.ts'
import type { ProjectorParts, ProjectorStatus } from './projector-parts.ts'
import { recover, resumeOffset } from './recover.ts'
import { retryingLog, retryingReader, retryingStore, retryingWhileLogIsAway } from './retrying.ts'
import { foldAnew, haveRows } from './row-removal.ts'
import { ReorganisationTooDeep } from './undo.ts'
import { Waiting } from './waiting.ts'
import { Watch } from './watch.ts'
import { RowsOfAnotherLog, WrittenRows } from './written-rows.ts'

/** Folding gives way to the process's other work (answers) at least this often. */
const foldSliceMs = 20

type RunnerParts = Required<Omit<ProjectorParts, 'limits' | 'metrics'>> &
  Pick<ProjectorParts, 'metrics'> & { readonly limits: ProjectorLimits; readonly signals: Log }

/** The loop of one group: read, fold, flush when full or when there is nothing more to read. */
export class Runner {
  readonly waiting = new Waiting()
  private readonly parts: RunnerParts
  private readonly ports: FlushPorts
  private readonly watch: Watch
  private readonly stopping = new AbortController()
  /** The log without its retries. */
  private readonly askedOnce: Pick<EventLog, 'end'>
  private batch: Batch
  /** Set as a life begins. */
  private written = WrittenRows.none
  /** While the volume's resume point is searched in a log with other offsets. */
  private proof: PrefixProof | null = null
  /** At most one flush is under way while the next batch is folded. */
  private flushing: Promise<void> = Promise.resolve()
  /** Sequence of the last flush that is done. */
  private flushedUpTo = 0
  /** As far as it is known: it only grows. */
  private end = 0
  private askingEnd: Promise<void> | null = null
  private sliceStart = 0
  /** Until the last accepted message was read again. */
  private isPlaceDoubtful = true

  constructor(parts: RunnerParts) {
    const { group, state, limits, signals, between, writeThrough } = parts
    const saying = { signals, signal: this.stopping.signal, group: group.name }
    const store = retryingStore(parts.store, limits, saying)
    const retried = retryingWhileLogIsAway(limits, { ...saying, metrics: parts.metrics })
    const log = retryingLog(parts.log, retried)
    this.askedOnce = parts.log
    this.parts = { ...parts, log, reader: retryingReader(parts.reader, retried) }
    this.ports = { group: group.name, log, state, store, between, writeThrough }
    this.watch = new Watch(group.name, signals, parts.metrics)
    this.batch = new Batch(limits)
  }

  stop(): void {
    this.stopping.abort()
  }

  status(): ProjectorStatus {
    return this.watch.status
  }

  /** @returns what ended it, or null if it was stopped. */
  async run(): Promise<Error | null> {
    try {
      while (!this.stopping.signal.aborted) await this.live()
      await this.flushed()
      this.waiting.end(new Error(`the ${this.ports.group} projector was stopped`))
      return null
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown))
      // The volume must not be closed during a commit.
      await this.flushing.catch(() => {})
      this.waiting.end(error)
      if (this.stopping.signal.aborted) return null
      this.watch.halted(error)
      return error
    }
  }

  /** Runs until it is stopped, or starts again because the tables have rows of another log. */
  private async live(): Promise<void> {
    try {
      const at = await this.start()
      while (!this.stopping.signal.aborted) await this.turn(at)
    } catch (error) {
      if (!(error instanceof RowsOfAnotherLog)) throw error
      await this.flushing
      await foldAnew(this.foldAnewParts(), error)
      this.batch = new Batch(this.parts.limits)
    }
  }

  private foldAnewParts() {
    const { group, log, store, state } = this.ports
    const { limits, signals, tables } = this.parts
    return { group, log, store, state, limits, signals, tables, signal: this.stopping.signal }
  }

  private async start(): Promise<GroupState> {
    const { group, state, reader, limits, signals } = this.parts
    const { log } = this.ports
    this.written = await this.writtenRows()
    const progress = this.written.position
    const checkpoint = await recover(group, state, { progress, signals })
    await publishOutbox(log, state, group.name)
    const offset = await resumeOffset(reader, checkpoint)
    const isProven = offset > 0 || checkpoint.accepted.sequence === 0
    this.proof = isProven ? null : new PrefixProof(checkpoint)
    if (offset > 0) await this.provePlace(checkpoint)
    this.end = await log.end('blocks')
    const { entitiesCachedMax } = limits
    const at = groupStateAt(group, state, {
      checkpoint: { ...checkpoint, offset },
      entitiesCachedMax,
    })
    this.flushedUpTo = at.accepted.sequence
    // Rows up to `progress` may be read already, also those that this life folds again.
    this.watch.started(at)
    if (at.accepted.sequence > 0) this.waiting.reach(at.accepted.sequence)
    return at
  }

  /** @throws RowsOfAnotherLog if there are rows, but no mark that identifies their log */
  private async writtenRows(): Promise<WrittenRows> {
    const { group, store } = this.ports
    const written = await WrittenRows.of(store, group)
    if (!written.areUnmarked || !(await haveRows(this.foldAnewParts()))) return written
    // Another process may have started since: marks are written before rows.
    const again = await WrittenRows.of(store, group)
    if (!again.areUnmarked) return again
    throw new RowsOfAnotherLog('the tables have rows, and no progress says of which log', 0)
  }

  /** Compares the volume with the tables. @throws RowsOfAnotherLog, LogReplaced */
  private async provePlace(checkpoint: Checkpoint): Promise<void> {
    const first = await firstMessage(this.ports.log)
    if (first !== null) this.written.beginsWith(first)
    this.written.provenByVolume(checkpoint)
  }

  /** Reads once and folds what came; flushes at the end of the log, and waits there. */
  private async turn(at: GroupState): Promise<void> {
    const { reader, limits } = this.parts
    const limit = { messagesMax: limits.readMessagesMax, bytesMax: limits.readBytesMax }
    const messages = await reader.read(at.offset, limit, this.stopping.signal)
    this.end = Math.max(this.end, (messages.at(-1)?.offset ?? -1) + 1)
    // A new block does not wait for the answer.
    const asking = this.askEnd()
    asking.catch(() => {})
    if (messages.length === 0) {
      await this.flush(at)
      await this.flushed()
      await asking
      this.watch.waits(this.end - at.offset)
      await this.waitBeyond(at)
      return
    }
    this.sliceStart = performance.now()
    for (const read of messages) {
      if (this.stopping.signal.aborted) return
      const message = 'part' in read ? await this.completed(read, at) : read
      if (message === null) continue
      await this.take(message, at)
      if (this.batch.isFull || at.accepted.sequence === at.silentUntil) await this.flush(at)
      else await this.giveWay()
    }
    if (at.offset >= this.end) await this.flush(at)
  }

  /** The lag may grow although nothing arrives: another member of the group reads it. */
  private async waitBeyond({ offset }: GroupState): Promise<void> {
    let isOver = false
    let isLooking = false
    const look = async () => {
      if (isLooking) return
      isLooking = true
      // An unavailable log is reported by its reader.
      this.end = Math.max(this.end, await this.askedOnce.end('blocks').catch(() => 0))
      isLooking = false
      // An answer from before a message arrived is outdated once it is folded.
      if (!isOver) this.watch.waits(this.end - offset)
    }
    const looking = setInterval(() => void look(), this.parts.limits.idleLookMs)
    try {
      await this.parts.log.waitBeyond('blocks', offset, this.stopping.signal)
    } finally {
      isOver = true
      clearInterval(looking)
    }
  }

  private askEnd(): Promise<void> {
    this.askingEnd ??= this.ports.log
      .end('blocks')
      .then((end) => {
        this.end = Math.max(this.end, end)
      })
      .finally(() => {
        this.askingEnd = null
      })
    return this.askingEnd
  }

  /** The message of which this is the last part; null if parts are missing. */
  private async completed(read: ReadPart, at: GroupState): Promise<ReadMessage | null> {
    const taken = takePart(at, read)
    if (taken === null) return null
    const { offset } = read
    const { hash } = read.part.head
    if ('invalid' in taken) return { offset, wireBytes: 0, decoded: taken, hash, whole: null }
    // Earlier rows are flushed to free memory for it.
    await this.flush(at)
    await this.flushed()
    const decoded = await this.parts.reader.whole(taken)
    return { offset, wireBytes: taken.bytes, decoded, hash, whole: taken }
  }

  private async take(message: ReadMessage, at: GroupState): Promise<void> {
    if (this.proof !== null) return this.prove(this.proof, message, at)
    const behind = this.end - message.offset - 1
    const isSilent = at.accepted.sequence < at.silentUntil
    if (isSilent || behind >= this.parts.limits.liveMessagesMax) this.batch.touched.addEverything()
    const knownFrom = at.knownFrom()
    const folded = await this.folded(message, at)
    // What was forgotten has moved, though no row of it was written.
    if (at.knownFrom() !== knownFrom) this.batch.touched.addEverything()
    const { offset, decoded } = message
    const said = 'message' in decoded ? decoded.message : null
    const { sequence } = at.accepted
    this.watch.folded(folded, { sequence, offset, behind, message: said })
    if (folded.fate === 'skipped') return this.refuseAnotherLog(folded.reason, at)
    this.isPlaceDoubtful = true
    this.batch.add(folded.rows, message.wireBytes)
    this.written.compare(at, isSilent)
  }

  /** A mirror leads to the volume's resume point at other offsets; then folding continues. */
  private prove(proof: PrefixProof, message: ReadMessage, at: GroupState): void {
    const proven = proof.take(message)
    at.offset = message.offset + 1
    if (proven === 'skipped') return
    at.parts.reset()
    at.resumeOffset = at.offset
    at.resumeHash = message.whole?.hash ?? null
    if (proof.read.accepted.sequence === 1) this.written.beginsWith(proof.read)
    if (proven === 'other') throw replaced(at)
    if (proven === 'same') {
      this.proof = null
      this.written.provenByVolume(at)
    }
  }

  /** A message that does not follow ours may follow one that replaced it. @throws LogReplaced */
  private async refuseAnotherLog(reason: SkipReason, at: GroupState): Promise<void> {
    if (reason === 'duplicate' || !this.isPlaceDoubtful) return
    this.isPlaceDoubtful = false
    const { accepted, resumeOffset: offset, resumeHash: lastHash } = at
    if (offset === 0) return
    // Not the shared reader, which caches what it has read.
    const reader = decodedReader(this.parts.log)
    const found = await resumeOffset(reader, { accepted, offset, lastHash })
    if (found === 0) throw replaced(at)
  }

  /** Messages before one that cannot be folded are committed. */
  private async folded(message: ReadMessage, at: GroupState): Promise<Folded> {
    try {
      return fold(this.parts.group, at, message)
    } catch (error) {
      if (error instanceof ReorganisationTooDeep) {
        await this.flush(at)
        await this.flushed()
      }
      throw error
    }
  }

  private async giveWay(): Promise<void> {
    if (performance.now() - this.sliceStart < foldSliceMs) return
    await breathe()
    this.sliceStart = performance.now()
  }

  /** Starts a flush of the folded rows when the previous one is done. */
  private async flush(at: GroupState): Promise<void> {
    const { batch } = this
    // The mark does not have to wait for the previous flush.
    await Promise.all([this.flushed(), this.markAhead(at)])
    if (batch.messages === 0) return
    this.batch = new Batch(this.parts.limits)
    const flushing = this.commit(at, beginCommit(at), batch)
    // Awaited with the next flush: avoids an unhandledRejection until then.
    flushing.catch(() => {})
    this.flushing = flushing
  }

  private async markAhead(at: GroupState): Promise<void> {
    if (this.batch.rowCount === 0 || at.accepted.sequence <= at.silentUntil) return
    const after = this.flushedUpTo
    const first = this.written.unwrittenFirst
    await markAhead(this.ports, { after, reached: reachedBy(at), first })
    this.written.firstIsWritten()
  }

  /** The flush under way is done. @throws what ended it. */
  private async flushed(): Promise<void> {
    await this.flushing
    this.sliceStart = performance.now()
  }

  private async commit(at: GroupState, pending: PendingCommit, batch: Batch): Promise<void> {
    const { accepted, silentUntil } = pending
    const startedAt = performance.now()
    if (accepted.sequence <= silentUntil) await flushSilently(this.ports, pending)
    else await flush(this.ports, pending, batch)
    endCommit(at)
    this.flushedUpTo = accepted.sequence
    const milliseconds = performance.now() - startedAt
    this.watch.flushed(pending, { rows: batch.rowCount, milliseconds })
    this.waiting.reach(accepted.sequence)
  }
}

const replaced = ({ accepted: { sequence } }: GroupState): LogReplaced =>
  new LogReplaced(
    `topic blocks does not hold what this volume was folded from up to position ${sequence}: ` +
      `acknowledged messages were lost, or it is another topic; see ${runbooks.lostTail}`,
  )
