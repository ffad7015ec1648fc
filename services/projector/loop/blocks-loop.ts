import { pauses } from '../../../libs/chain/pauses.ts'
import type { BlocksGroup } from '../../../libs/projections/group.ts'
import { BlockStage } from '../../../libs/signals/block-stage.ts'
import type { Log } from '../../../libs/signals/log.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import type { TableRow } from '../../../libs/tables/declare/table.ts'
import type { SkipReason } from '../../../libs/topics/acceptance.ts'
import type { Announcement } from '../../../libs/topics/changes.ts'
import { firstMessage, LogReplaced, PrefixProof } from '../log-identity/log-prefix.ts'
import { aheadMarkOf, firstMarkOf, progressRows, type Reached } from '../log-identity/marks.ts'
import { haveRows, WrittenRows } from '../log-identity/written-rows.ts'
import { decodedReader, type ReadMessage, type ReadPart } from '../reading/decoded-reader.ts'
import { GroupLag } from '../reading/group-lag.ts'
import { LogEnd } from '../reading/log-end.ts'
import type { Checkpoint } from '../volume/checkpoint.ts'
import {
  beginCommit,
  endCommit,
  type GroupState,
  groupStateAt,
  type PendingCommit,
} from '../volume/group-state.ts'
import { recover, resumeOffset } from '../volume/recover.ts'
import { ReorganisationTooDeep } from '../volume/undo.ts'
import { announcementOf, publishOutbox } from './announce.ts'
import { Batch, CacheableRows } from './batch.ts'
import { type CommitPorts, commit, type Flush, writeMarks } from './commit.ts'
import { type Folded, fold, takePart } from './fold.ts'
import { foldInSlices } from './fold-in-slices.ts'
import type { ProjectorLimits } from './limits.ts'
import { weightOf } from './message-weight.ts'
import type { ProjectorParts, ProjectorStatus } from './projector-parts.ts'
import { retryingPorts, retryingReader } from './retrying.ts'
import type { GroupLife, GroupLoop } from './run-group.ts'
import { Watch } from './watch.ts'

type LoopParts = Required<Omit<ProjectorParts, 'limits' | 'metrics'>> &
  Pick<ProjectorParts, 'metrics'> &
  GroupLife & { readonly limits: ProjectorLimits; readonly log: Log }

/** Folds `blocks` through one group: flushes when full, or when there is nothing more to read. */
export class BlocksLoop implements GroupLoop<GroupState, ProjectorStatus> {
  private readonly parts: LoopParts
  private readonly ports: CommitPorts
  private readonly watch: Watch
  private readonly lag = new GroupLag()
  private readonly end: LogEnd
  private batch: Batch
  /** Set as a life begins. */
  private written = WrittenRows.none
  /** While the volume's resume point is searched in a log with other offsets. */
  private proof: PrefixProof | null = null
  /** At most one flush is under way while the next batch is folded. */
  private flushing: Promise<void> = Promise.resolve()
  private readonly pause = pauses()
  /** Until the last accepted message was read again. */
  private isPlaceDoubtful = true

  constructor(parts: LoopParts) {
    const { group, state, limits, log, signal, metrics, between, writeThrough } = parts
    const retryOptions = { log, signal, group: group.name, metrics }
    const { eventLog, store, read } = retryingPorts(parts, limits, retryOptions)
    this.end = new LogEnd({ eventLog, once: parts.eventLog, idleLookMs: limits.idleLookMs })
    this.parts = { ...parts, eventLog, reader: retryingReader(parts.reader, read) }
    const stages = {
      stored: new BlockStage(metrics, 'stored'),
      announced: new BlockStage(metrics, 'announced'),
    }
    this.ports = {
      group: group.name,
      eventLog,
      state,
      store,
      metrics,
      stages,
      between,
      writeThrough,
    }
    this.watch = new Watch(group.name, log, metrics)
    this.batch = new Batch(limits)
  }

  status(): ProjectorStatus {
    return this.watch.status
  }

  async start(): Promise<GroupState> {
    const { group, state, reader, limits, log } = this.parts
    const { eventLog } = this.ports
    this.written = await this.writtenRows()
    const progress = this.written.position
    const { liveMessagesMax: silentMin } = limits
    const checkpoint = await recover(group, state, { progress, silentMin, log })
    await publishOutbox(eventLog, state, group.name)
    const offset = await resumeOffset(reader, checkpoint)
    const isProven = offset > 0 || checkpoint.accepted.sequence === 0
    this.proof = isProven ? null : new PrefixProof(checkpoint)
    if (offset > 0) await this.provePlace(checkpoint)
    await this.end.begin()
    const { entitiesCachedMax } = limits
    const at = groupStateAt(group, state, {
      checkpoint: { ...checkpoint, offset },
      entitiesCachedMax,
    })
    // Rows up to `progress` may be read already, also those that this life folds again.
    this.watch.started(at)
    this.parts.metrics?.lag.measure(() => this.lag.seconds(), { group: group.name })
    if (at.accepted.sequence > 0) this.parts.reach(at.accepted.sequence)
    return at
  }

  /** @throws LogReplaced if there are rows, but no mark that identifies their log */
  private async writtenRows(): Promise<WrittenRows> {
    const { store } = this.ports
    const group = this.parts.group.name
    const written = await WrittenRows.of(store, group)
    if (!written.areUnmarked || !(await haveRows(store, this.parts.tables))) return written
    // Another process may have started since: marks are written before rows.
    const again = await WrittenRows.of(store, group)
    if (!again.areUnmarked) return again
    throw new LogReplaced(
      `the tables of ${group} have rows, and no progress says of which log; see ${runbooks.lostTail}`,
    )
  }

  /** Compares the volume with the tables. @throws LogReplaced */
  private async provePlace(checkpoint: Checkpoint): Promise<void> {
    const first = await firstMessage(this.ports.eventLog)
    if (first !== null) this.written.beginsWith(first)
    this.written.compare(checkpoint)
  }

  /** Flushes at the end of the log, and waits there. */
  async turn(at: GroupState): Promise<GroupState> {
    const { reader, limits } = this.parts
    const limit = { messagesMax: limits.readMessagesMax, bytesMax: limits.readBytesMax }
    const messages = await reader.read(at.offset, limit, this.parts.signal)
    this.end.atLeast((messages.at(-1)?.offset ?? -1) + 1)
    // A new block does not wait for the answer.
    const asking = this.end.ask()
    asking.catch(() => {})
    if (messages.length === 0) {
      await this.flush(at)
      await this.flushed()
      if (this.watch.status.stuck === null) this.lag.waits()
      await asking
      const onLag = (messages: number) => this.watch.waits(messages)
      onLag(this.end.offset - at.offset)
      await this.end.waitBeyond(at.offset, { signal: this.parts.signal, onLag })
      return at
    }
    for (const read of messages) {
      if (this.parts.signal.aborted) return at
      this.lag.reads(read.time)
      const message = 'part' in read ? await this.completed(read, at) : read
      if (message === null) continue
      await this.take(message, at)
      if (this.batch.isFull || at.accepted.sequence === at.silentUntil) await this.flush(at)
      else await this.pause()
    }
    if (at.offset >= this.end.offset) await this.flush(at)
    return at
  }

  /** The message of which this is the last part; null if parts are missing. */
  private async completed(read: ReadPart, at: GroupState): Promise<ReadMessage | null> {
    const taken = takePart(at, read)
    if (taken === null) return null
    const { offset, time, seen = null } = read
    const { hash } = read.part.head
    const place = { offset, time, seen, hash }
    if ('invalid' in taken) return { ...place, wireBytes: 0, decoded: taken, whole: null }
    // Earlier rows are flushed to free memory for it.
    await this.settled(at)
    const decoded = await this.parts.reader.whole(taken)
    return { ...place, wireBytes: taken.bytes, decoded, whole: taken }
  }

  private async take(message: ReadMessage, at: GroupState): Promise<void> {
    if (this.proof !== null) return this.prove(this.proof, message, at)
    const weight = await this.weightOf(message, at)
    const isSliced = weight >= this.parts.limits.slicedWeightMin
    // Alone: its changes are in no memory, but in the commit that follows.
    if (isSliced) await this.settled(at)
    if (weight >= this.parts.limits.greatWeightMin) this.watch.begins(message, weight)
    const behind = this.end.offset - message.offset - 1
    const isSilent = at.accepted.sequence < at.silentUntil
    if (isSilent || behind >= this.parts.limits.liveMessagesMax) this.batch.touched.addEverything()
    const knownFrom = at.knownFrom()
    const folded = await (isSliced ? this.sliced(message, at) : this.folded(message, at))
    // What was forgotten has moved, though no row of it was written.
    if (at.knownFrom() !== knownFrom) this.batch.touched.addEverything()
    const { offset, decoded } = message
    const said = 'message' in decoded ? decoded.message : null
    const { sequence } = at.accepted
    this.watch.folded(folded, { sequence, offset, behind, message: said })
    if (folded.fate === 'skipped') return this.refuseAnotherLog(folded.reason, at)
    this.isPlaceDoubtful = true
    if (!isSilent) this.batch.noteSeen(message.seen)
    if (!isSliced) await this.addRows(folded.rows, message.wireBytes, weight)
    this.written.compare(at)
    if (!isSliced) return
    await this.settled(at)
    at.entities.forget()
  }

  /** In transfers. A message that was folded in slices is reverted in slices. */
  private async weightOf({ decoded }: ReadMessage, at: GroupState): Promise<number> {
    if ('invalid' in decoded) return 0
    const { message } = decoded
    const { group, limits } = this.parts
    const weight = (await weightOf(message, this.pause)) + group.repeatedCount(at.entities, message)
    const isInParts = message.kind === 'block.reverted' && at.undo?.isNewestSliced === true
    return isInParts ? Math.max(weight, limits.slicedWeightMin) : weight
  }

  private async addRows(
    runs: Iterable<readonly TableRow[]>,
    wireBytes: number,
    weight: number,
  ): Promise<void> {
    this.batch.add([], wireBytes, weight)
    for (const rows of runs) {
      this.batch.addRows(rows)
      const paused = this.pause()
      if (paused !== undefined) await paused
    }
  }

  private sliced(message: ReadMessage, at: GroupState): Promise<Folded> {
    const { group, limits } = this.parts
    const { state, store } = this.ports
    const { batch } = this
    const beforeRows = () => {
      // A mark of this message would replace one that says otherwise.
      this.written.compare(at)
      return this.writeMarks(at)
    }
    return foldInSlices({ group, state, store, limits, batch, beforeRows }, at, message)
  }

  /** All that was folded is flushed. */
  private async settled(at: GroupState): Promise<void> {
    await this.flush(at)
    await this.flushed()
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
      this.written.compare(at)
    }
  }

  /** A message that does not follow ours may follow one that replaced it. @throws LogReplaced */
  private async refuseAnotherLog(reason: SkipReason, at: GroupState): Promise<void> {
    if (reason === 'duplicate' || !this.isPlaceDoubtful) return
    this.isPlaceDoubtful = false
    const { accepted, resumeOffset: offset, resumeHash: lastHash } = at
    if (offset === 0) return
    // Not the shared reader, which caches what it has read.
    const reader = decodedReader(this.parts.eventLog)
    const found = await resumeOffset(reader, { accepted, offset, lastHash })
    if (found === 0) throw replaced(at)
  }

  /** Messages before one that cannot be folded are committed. */
  private async folded(message: ReadMessage, at: GroupState): Promise<Folded> {
    try {
      return await fold(this.parts.group, at, { read: message, pause: this.pause })
    } catch (error) {
      if (error instanceof ReorganisationTooDeep) {
        await this.flush(at)
        await this.flushed()
      }
      throw error
    }
  }

  /** Starts a flush of the folded rows when the previous one is done. */
  private async flush(at: GroupState): Promise<void> {
    const { batch } = this
    const marked = batch.rowCount > 0 ? this.writeMarks(at) : undefined
    await Promise.all([this.flushed(), marked])
    if (batch.messages === 0) return
    this.batch = new Batch(this.parts.limits)
    this.lag.flushes()
    const flushing = this.commit(at, beginCommit(at), batch)
    // Awaited with the next flush: avoids an unhandledRejection until then.
    flushing.catch(() => {})
    this.flushing = flushing
  }

  /** One of them may replace that of the flush under way: then it covers the rows of both. */
  private async writeMarks(at: GroupState): Promise<void> {
    if (at.accepted.sequence <= at.silentUntil) return
    const { group } = this.ports
    const reached = reachedBy(at)
    const first = this.written.unwrittenFirst
    await writeMarks(this.ports, [
      ...(first === null ? [] : progressRows([firstMarkOf(group)], first)),
      ...progressRows([aheadMarkOf(group)], reached),
    ])
    this.written.firstIsWritten()
  }

  /** The flush under way is done. @throws what ended it. */
  async flushed(): Promise<void> {
    await this.flushing
  }

  private async commit(at: GroupState, pending: PendingCommit, batch: Batch): Promise<void> {
    const cost = await commit(this.ports, flushOf(this.parts.group.name, pending, batch))
    endCommit(at)
    this.lag.flushed()
    this.watch.flushed(pending, cost)
    this.parts.reach(pending.accepted.sequence)
  }
}

/**
 * Of messages whose rows an earlier process has written, only the last is announced: the
 * announcements of that process may have been lost with its volume.
 */
function flushOf(group: BlocksGroup['name'], pending: PendingCommit, batch: Batch): Flush {
  const { accepted, silentUntil, knownFrom, writes } = pending
  const announcing = (moved: Announcement['moved'], hot: CacheableRows) => {
    return { announcement: announcementOf(group, { ...pending, moved }), hot }
  }
  if (accepted.sequence < silentUntil) return { written: null, writes, announced: null }
  if (accepted.sequence === silentUntil) {
    return { written: null, writes, announced: announcing('everything', new CacheableRows()) }
  }
  const progress = progressRows([group], { ...reachedBy(pending), knownFrom })
  const { announced, hot } = batch.touched
  const written = { batch, progress, deadLetters: [] }
  return { written, writes, announced: announcing(announced, hot), seen: batch.seen }
}

/** As a row of progress names it. */
const reachedBy = ({
  accepted: { sequence, head },
  prefix,
}: Pick<PendingCommit, 'accepted' | 'prefix'>): Reached => ({
  position: sequence,
  blockNumber: head?.number ?? null,
  blockHash: head?.hash ?? null,
  timestamp: head?.timestamp ?? null,
  logHash: prefix,
})

const replaced = ({ accepted: { sequence } }: GroupState): LogReplaced =>
  new LogReplaced(
    `topic blocks does not hold what this volume was folded from up to position ${sequence}: ` +
      `acknowledged messages were lost, or it is another topic; see ${runbooks.lostTail}`,
  )
