import { OffsetLost, type StoredMessage } from '../../../libs/ports/event-log.ts'
import { marksOfReplicas } from '../../../libs/queries/progress.ts'
import { events } from '../../../libs/signals/events.ts'
import { linkedAbort } from '../../../libs/signals/linked-abort.ts'
import { silentLog } from '../../../libs/signals/log.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import { progressOfTopic } from '../../../libs/tables/tables/progress.ts'
import { factVersion, offsetAfterVersion } from '../../../libs/topics/facts/fact-version.ts'
import { hourSeconds } from '../../../libs/topics/facts/token-facts.ts'
import type { DeadLetter } from '../../../libs/topics/topics.ts'
import { marksPassed, progressRows } from '../log-identity/marks.ts'
import { announcementOf, publishOutbox } from '../loop/announce.ts'
import { Batch } from '../loop/batch.ts'
import { type CommitPorts, commit, writeMarks } from '../loop/commit.ts'
import { type ProjectorLimits, projectorLimits } from '../loop/limits.ts'
import type { DimensionsParts } from '../loop/projector-parts.ts'
import { retryingPorts } from '../loop/retrying.ts'
import { type GroupLife, type GroupLoop, type RunningGroup, runGroup } from '../loop/run-group.ts'
import { GroupLag } from '../reading/group-lag.ts'
import { type FactFold, factFolds } from './fact-folds.ts'
import { type FactOffsets, foldedOf, readOffsets, writeOffsets } from './fact-offsets.ts'
import { fingerprintOf, placesIn } from './fact-places.ts'
import { RateBook, RateHours } from './rate-book.ts'
import { SeenFacts, TopicReplaced } from './seen-facts.ts'

type LoopParts = Required<Omit<DimensionsParts, 'limits' | 'metrics'>> &
  Pick<DimensionsParts, 'metrics'> &
  GroupLife & { readonly limits: ProjectorLimits }

const group = 'dimensions'
const rateTopic = 'token-facts'
/** Of all dead letters: what a schema refuses. */
const reason = 'invalid'
/** Other chains that are named in the log; of all of them messages are counted. */
const otherChainsMax = 16

interface FactsStatus {
  /** Versions of all topics, added up: it grows with each message, and by leaps with an epoch. */
  readonly position: number
  /** Folded messages of all topics, including those removed by compaction. */
  readonly messages: number
  readonly deadLetters: number
}

export type DimensionsProjector = RunningGroup<FactsStatus>

/**
 * Starts folding the topics of off-chain facts. A fact that cannot be folded is written to the
 * dead-letter topic, and folding continues.
 */
export function startDimensions(parts: DimensionsParts): DimensionsProjector {
  const limits = { ...projectorLimits, ...parts.limits }
  const given = {
    log: silentLog,
    between: async () => {},
    writeThrough: async () => {},
    ...parts,
    limits,
  }
  const { log } = given
  return runGroup({ group, log }, (life) => new FactsLoop({ ...given, ...life }))
}

/**
 * Consecutive times that offsets are determined before anything is folded; then the group fails.
 */
const beginningsMax = 10

/** What came of all topics since the last flush. */
interface Turn {
  readonly batch: Batch
  readonly deadLetters: DeadLetter[]
  /** The last message of each topic that has messages. */
  readonly lasts: Map<string, StoredMessage>
}

/** Folds the fact topics: reads each in turn, and flushes what came. */
class FactsLoop implements GroupLoop<FactOffsets, FactsStatus> {
  private reached: FactsStatus = { position: 0, messages: 0, deadLetters: 0 }
  private readonly parts: LoopParts
  private readonly ports: CommitPorts
  private readonly seen: SeenFacts
  private readonly lag = new GroupLag()
  private others: ReadonlySet<string> = new Set()
  /** Starts since anything was folded. */
  private beginnings = 0
  /** Position before the last start. */
  private begunAt = 0
  /** Chains whose facts were skipped, so that each is logged once. */
  private readonly otherChains = new Set<number>()
  private rates: RateBook
  private readonly rateHours: RateHours

  constructor(parts: LoopParts) {
    const { state, limits, log, signal, metrics, between, writeThrough } = parts
    this.rates = new RateBook(state)
    const everyMs = limits.rateHourLookMs
    this.rateHours = new RateHours({ ...parts, rates: () => this.rates, everyMs })
    const retryOptions = { log, signal, group, metrics }
    const { eventLog, store } = retryingPorts(parts, limits, retryOptions)
    this.parts = { ...parts, store, eventLog }
    this.ports = { group, eventLog, store, state, metrics, between, writeThrough }
    this.seen = new SeenFacts({ eventLog, store, everyMs: limits.factsLookMs })
  }

  status(): FactsStatus {
    return this.reached
  }

  close(): void {
    this.rateHours.stop()
  }

  /** Topics that were replaced are folded from their beginning, as another epoch. */
  async repair(error: unknown): Promise<void> {
    const isReplaced = error instanceof OffsetLost || error instanceof TopicReplaced
    if (!isReplaced || this.beginnings === beginningsMax) throw error
    this.others = error instanceof TopicReplaced ? error.topics : new Set()
    if (this.reached.position !== this.begunAt) this.beginnings = 0
  }

  /** It waits for each of its flushes. */
  async flushed(): Promise<void> {}

  async start(): Promise<FactOffsets> {
    const { eventLog, store, state, log } = this.parts
    this.beginnings += 1
    this.begunAt = this.reached.position
    for (const { topic } of factFolds) this.parts.metrics?.deadLetters.inc({ topic, reason }, 0)
    this.parts.metrics?.skippedMessages.inc({ group, reason: 'other-chain' }, 0)
    await publishOutbox(eventLog, state, group)
    const topics = factFolds.map(({ topic }) => topic)
    const from = { eventLog, store, log, topics, others: this.others }
    const folded = readOffsets(state)
    const { offsets, seen } = await placesIn(from, folded)
    await this.readRates(folded, offsets)
    this.seen.beginWith(seen)
    this.reach(offsets)
    this.parts.metrics?.lag.measure(() => this.lag.seconds(), { group })
    return offsets
  }

  private async readRates(folded: FactOffsets, offsets: FactOffsets): Promise<void> {
    const reached = (await marksOfReplicas(this.parts.store, [group])).get(group)
    const writtenHour = Math.floor((reached?.timestamp ?? 0) / hourSeconds)
    this.rates = new RateBook(this.parts.state, { writtenHour })
    const [before, now] = [folded, offsets].map((places) =>
      offsetAfterVersion(places[rateTopic] ?? 0),
    )
    // Behind what the volume has folded, or in another topic, all facts are folded again.
    const isGoingOn = before?.epoch === now?.epoch && (before?.offset ?? 0) <= (now?.offset ?? 0)
    if (!isGoingOn || before?.offset === 0) this.rates.clear()
    this.rateHours.start()
  }

  private reach(offsets: FactOffsets): void {
    const places = Object.values(offsets).map(offsetAfterVersion)
    const messages = places.reduce((sum, { offset }) => sum + offset, 0)
    this.reached = { ...this.reached, position: foldedOf(offsets), messages }
    const { metrics } = this.parts
    metrics?.indexedPosition.set({ group }, this.reached.position)
    for (const { topic } of factFolds) {
      metrics?.indexedOffset.set({ topic }, offsetAfterVersion(offsets[topic] ?? 0).offset)
    }
    this.parts.reach(this.reached.position)
  }

  /** Reads each topic once; flushes what came, or waits for any of them. */
  async turn(offsets: FactOffsets): Promise<FactOffsets> {
    const { eventLog, limits } = this.parts
    const turn: Turn = { batch: new Batch(limits), deadLetters: [], lasts: new Map() }
    let after = offsets
    for (const fold of factFolds) {
      const { epoch, offset } = offsetAfterVersion(offsets[fold.topic] ?? 0)
      const limit = { messagesMax: limits.readMessagesMax, bytesMax: limits.readBytesMax }
      const messages = await eventLog.read(fold.topic, offset, limit)
      for (const message of messages) {
        // One message may make as many rows as tokens have rates.
        if (turn.batch.isFull) break
        this.lag.reads(message.time)
        this.take(turn, fold, { epoch, message })
        turn.lasts.set(fold.topic, message)
      }
      // A compacted topic has holes: its messages are fewer than its offsets.
      const last = turn.lasts.get(fold.topic)
      if (last === undefined) continue
      after = { ...after, [fold.topic]: factVersion({ epoch, offset: last.offset + 1 }) }
    }
    if (turn.lasts.size > 0) {
      await this.flush(after, turn, offsets)
      this.lag.waits()
    } else {
      // The first rates do not wait for the interval; once all that is there is folded.
      if (this.rates.hour === 0) void this.rateHours.look()
      await this.waitForAny(offsets)
    }
    return after
  }

  private take(turn: Turn, fold: FactFold, from: { epoch: number; message: StoredMessage }): void {
    const { epoch, message } = from
    const version = factVersion({ epoch, offset: message.offset + 1 })
    const folded = fold.fold(message.value, version, this.rates)
    if ('invalid' in folded) {
      turn.deadLetters.push(this.deadLetterOf(fold, message, folded.invalid))
      return
    }
    const { rows, chainId } = folded.message
    if (chainId !== null && chainId !== this.parts.chainId) this.skip(fold, chainId)
    else turn.batch.add([rows], message.value.length)
  }

  /** A topic may be shared by deployments of several chains: no fault, but worth a word. */
  private skip({ topic }: FactFold, chainId: number): void {
    const { metrics, log } = this.parts
    metrics?.skippedMessages.inc({ group, reason: 'other-chain' })
    if (this.otherChains.has(chainId) || this.otherChains.size >= otherChainsMax) return
    this.otherChains.add(chainId)
    const fields = { event: events.projector.skipped, group, topic, reason: 'other-chain', chainId }
    log.warn(
      fields,
      `${topic} has facts of chain ${chainId}: they are skipped, as this deployment is of chain ` +
        `${this.parts.chainId}`,
    )
  }

  private deadLetterOf(fold: FactFold, message: StoredMessage, error: string): DeadLetter {
    const { topic } = fold
    const { offset, key, time = null, headers = {} } = message
    const { deadLetters: runbook } = runbooks
    const fields = { event: events.projector.deadLettered, topic, offset, error, runbook }
    this.parts.log.warn(
      fields,
      `message ${offset} of ${topic} cannot be folded, and is a dead letter now: ${error}`,
    )
    return {
      topic,
      offset,
      key,
      time,
      headers: { ...headers },
      message: Buffer.from(message.value).toString('base64'),
      reason,
      error,
    }
  }

  private async flush(offsets: FactOffsets, turn: Turn, before: FactOffsets): Promise<void> {
    const { batch, deadLetters, lasts } = turn
    await writeMarks(this.ports, await this.seen.firstMarks(before, lasts))
    const { hour } = this.rates
    const time = hour > 0 ? hour * hourSeconds : null
    const accepted = { sequence: foldedOf(offsets), head: null }
    const marks = [...lasts].flatMap(([topic, message]) => {
      const [from = 0, to = 0] = [before[topic], offsets[topic]]
      const passed = marksPassed(progressOfTopic(topic), from, to)
      return progressRows(passed, { position: to, logHash: fingerprintOf(message) })
    })
    const reached = progressRows([group], { position: accepted.sequence, timestamp: time })
    const { announced: moved, hot } = batch.touched
    const { position: after } = this.reached
    const announcement = announcementOf(group, { after, accepted, time, moved, facts: offsets })
    await commit(this.ports, {
      written: { batch, deadLetters, progress: [...reached, ...marks] },
      writes: [writeOffsets(offsets), ...this.rates.beginCommit()],
      announced: { announcement, hot },
    })
    const count = this.reached.deadLetters + deadLetters.length
    this.reached = { ...this.reached, deadLetters: count }
    this.reportRates()
    this.reach(offsets)
  }

  private reportRates(): void {
    const { metrics, log } = this.parts
    const { tokens, hour } = this.rates
    metrics?.ratedTokens.set(tokens)
    if (hour > 0) metrics?.rateHour.set(hour * hourSeconds)
    const count = this.rates.takeLeftOut()
    if (count === 0) return
    const fields = { event: events.projector.ratesLeftOut, count, runbook: runbooks.rates }
    log.warn(
      fields,
      `${count} tokens have a rate that does not order balances: there are more than ${tokens}`,
    )
  }

  private async waitForAny(offsets: FactOffsets): Promise<void> {
    const one = linkedAbort(this.parts.signal)
    const waits = factFolds.map(({ topic }) =>
      this.parts.eventLog.waitBeyond(
        topic,
        offsetAfterVersion(offsets[topic] ?? 0).offset,
        one.signal,
      ),
    )
    const looking = setTimeout(() => one.end(), this.parts.limits.factsLookMs)
    try {
      await Promise.race(waits)
    } finally {
      clearTimeout(looking)
      one.end()
    }
    await this.seen.look()
  }
}
