import { type LogMessage, OffsetLost, type StoredMessage } from '../../libs/ports/event-log.ts'
import type { Store } from '../../libs/ports/store.ts'
import { marksOfReplicas } from '../../libs/queries/progress.ts'
import { events } from '../../libs/signals/events.ts'
import { linkedAbort } from '../../libs/signals/linked-abort.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import { progressOfTopic } from '../../libs/tables/progress.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { type DeadLetter, deadLetterTopic } from '../../libs/topics/dead-letters.ts'
import { factVersion, offsetAfterVersion } from '../../libs/topics/fact-version.ts'
import { hourSeconds } from '../../libs/topics/token-facts.ts'
import { announcementBytes, announcementOf, publish, publishOutbox } from './announce.ts'
import { Batch } from './batch.ts'
import { type FactFold, factFolds } from './fact-folds.ts'
import { type FactOffsets, foldedOf, readOffsets, writeOffsets } from './fact-offsets.ts'
import { fingerprintOf, isRaisedElsewhere, markFirst, placesIn, SeenFacts } from './fact-places.ts'
import type { ProjectorLimits } from './limits.ts'
import { marksPassed, progressRows, writeProgress } from './marks.ts'
import type { DimensionsParts } from './projector-parts.ts'
import { RateBook, RateHours } from './rate-book.ts'
import { retryingLog, retryingStore, retryingWhileLogIsAway } from './retrying.ts'
import { outboxKey } from './state-keys.ts'
import { Waiting } from './waiting.ts'

type RunnerParts = Required<Omit<DimensionsParts, 'limits' | 'metrics'>> &
  Pick<DimensionsParts, 'metrics'> & { readonly limits: ProjectorLimits }

const group = 'dimensions'
const rateTopic = 'token-facts'
/** Of all dead letters: what a schema refuses. */
const reason = 'invalid'
/** Other chains that are named in the log; of all of them messages are counted. */
const otherChainsMax = 16

/**
 * The topic is not the one that the rows were folded from: the group determines its offsets again.
 */
class TopicReplaced extends Error {
  override readonly name = 'TopicReplaced'
  readonly topics: ReadonlySet<string>

  constructor(topics: ReadonlySet<string>) {
    super(`another topic than before: ${[...topics].join(', ')}`)
    this.topics = topics
  }
}

/**
 * Consecutive times that offsets are determined before anything is folded; then the group fails.
 */
const beginningsMax = 10

/** What came of all topics since the last flush. */
interface Turn {
  readonly batch: Batch
  readonly letters: [of: string, letter: LogMessage][]
  /** The last message of each topic that has any. */
  readonly lasts: Map<string, StoredMessage>
}

/** The loop of the fact topics: reads each, folds, flushes in the order of the law. */
export class DimensionsRunner {
  readonly waiting = new Waiting()
  status = { position: 0, messages: 0, deadLetters: 0 }
  private readonly parts: RunnerParts
  private readonly store: Store
  private readonly stopping = new AbortController()
  private readonly seen: SeenFacts
  private seenAt = 0
  private others: ReadonlySet<string> = new Set()
  /** Chains whose facts were skipped, so that each is logged once. */
  private readonly otherChains = new Set<number>()
  private rates: RateBook
  private readonly rateHours: RateHours

  constructor(parts: RunnerParts) {
    const { limits, signals } = parts
    this.rates = new RateBook(parts.state)
    const everyMs = limits.rateHourLookMs
    this.rateHours = new RateHours({ ...parts, rates: () => this.rates, everyMs })
    const saying = { signals, signal: this.stopping.signal, group }
    this.store = retryingStore(parts.store, limits, saying)
    const retried = retryingWhileLogIsAway(limits, { ...saying, metrics: parts.metrics })
    this.parts = { ...parts, log: retryingLog(parts.log, retried) }
    this.seen = new SeenFacts(this.parts.log)
  }

  stop(): void {
    this.stopping.abort()
  }

  /** @returns what ended it, or null if it was stopped. */
  async run(): Promise<Error | null> {
    try {
      for (let beginnings = 1; !this.stopping.signal.aborted; beginnings++) {
        const before = this.status.position
        await this.live().catch((error: unknown) => {
          const isReplaced = error instanceof OffsetLost || error instanceof TopicReplaced
          if (!isReplaced || beginnings === beginningsMax) throw error
          this.others = error instanceof TopicReplaced ? error.topics : new Set()
        })
        if (this.status.position !== before) beginnings = 0
      }
      this.waiting.end(new Error('the dimensions projector was stopped'))
      return null
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown))
      this.waiting.end(error)
      if (this.stopping.signal.aborted) return null
      const fields = { event: events.projector.halted, group, error: error.message }
      this.parts.signals.error(fields, `${group} has halted: ${error.message}`)
      return error
    } finally {
      this.rateHours.stop()
    }
  }

  /** From its places on, until it is stopped. @throws OffsetLost, TopicReplaced */
  private async live(): Promise<void> {
    let offsets = await this.start()
    while (!this.stopping.signal.aborted) offsets = await this.turn(offsets)
  }

  private async start(): Promise<FactOffsets> {
    const { log, state, signals } = this.parts
    for (const { topic } of factFolds) this.parts.metrics?.deadLetters.inc({ topic, reason }, 0)
    await publishOutbox(log, state, group)
    const topics = factFolds.map(({ topic }) => topic)
    const from = { log, store: this.store, signals, topics, others: this.others }
    const folded = readOffsets(state)
    const { offsets, seen } = await placesIn(from, folded)
    await this.readRates(folded, offsets)
    this.seen.beginWith(seen)
    this.seenAt = performance.now()
    this.reach(offsets)
    return offsets
  }

  private async readRates(folded: FactOffsets, offsets: FactOffsets): Promise<void> {
    const reached = (await marksOfReplicas(this.store, [group])).get(group)
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
    this.status = { ...this.status, position: foldedOf(offsets), messages }
    const { metrics } = this.parts
    metrics?.indexedPosition.set({ group }, this.status.position)
    for (const { topic } of factFolds) {
      metrics?.indexedOffset.set({ topic }, offsetAfterVersion(offsets[topic] ?? 0).offset)
    }
    this.waiting.reach(this.status.position)
  }

  /** Reads each topic once; flushes what came, or waits for any of them. */
  private async turn(offsets: FactOffsets): Promise<FactOffsets> {
    const { log, limits } = this.parts
    const turn: Turn = { batch: new Batch(limits), letters: [], lasts: new Map() }
    let after = offsets
    for (const fold of factFolds) {
      const { epoch, offset } = offsetAfterVersion(offsets[fold.topic] ?? 0)
      const limit = { messagesMax: limits.readMessagesMax, bytesMax: limits.readBytesMax }
      const messages = await log.read(fold.topic, offset, limit)
      for (const message of messages) {
        // One message may make as many rows as tokens have rates.
        if (turn.batch.isFull) break
        this.take(turn, fold, { epoch, message })
        turn.lasts.set(fold.topic, message)
      }
      // A compacted topic has holes: its messages are fewer than its offsets.
      const last = turn.lasts.get(fold.topic)
      if (last === undefined) continue
      after = { ...after, [fold.topic]: factVersion({ epoch, offset: last.offset + 1 }) }
    }
    if (turn.lasts.size > 0) await this.flush(after, turn, offsets)
    else {
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
      turn.letters.push([fold.topic, this.letterOf(fold, message, folded.invalid)])
      return
    }
    const { rows, chainId } = folded.message
    if (chainId !== null && chainId !== this.parts.chainId) this.skip(fold, chainId)
    else turn.batch.add([rows], message.value.length)
  }

  /** A topic may be shared by deployments of several chains: no fault, but worth a word. */
  private skip({ topic }: FactFold, chainId: number): void {
    const { metrics, signals } = this.parts
    metrics?.skippedMessages.inc({ group, reason: 'other-chain' })
    if (this.otherChains.has(chainId) || this.otherChains.size >= otherChainsMax) return
    this.otherChains.add(chainId)
    const fields = { event: events.projector.skipped, group, topic, reason: 'other-chain', chainId }
    signals.warn(
      fields,
      `${topic} has facts of chain ${chainId}: they are skipped, as this deployment is of chain ` +
        `${this.parts.chainId}`,
    )
  }

  private letterOf(fold: FactFold, message: StoredMessage, error: string): LogMessage {
    const { topic } = fold
    const { offset, key, time = null, headers = {} } = message
    const { deadLetters: runbook } = runbooks
    const fields = { event: events.projector.deadLettered, topic, offset, error, runbook }
    this.parts.signals.warn(
      fields,
      `message ${offset} of ${topic} cannot be folded, and is a dead letter now: ${error}`,
    )
    const letter: DeadLetter = {
      topic,
      offset,
      key,
      time,
      headers: { ...headers },
      message: Buffer.from(message.value).toString('base64'),
      reason,
      error,
    }
    return { key, value: encodeMessage(letter) }
  }

  /** Now and then. @returns whether it has looked. @throws TopicReplaced */
  private async lookAtTopics(): Promise<boolean> {
    if (performance.now() - this.seenAt < this.parts.limits.factsLookMs) return false
    this.seenAt = performance.now()
    const others = await this.seen.others()
    if (others.size > 0) throw new TopicReplaced(others)
    return true
  }

  /** @throws TopicReplaced before anything is written */
  private async refuseReplaced(offsets: FactOffsets, { lasts }: Turn): Promise<void> {
    if (await isRaisedElsewhere(this.store, offsets)) throw new TopicReplaced(new Set())
    const hasLooked = await this.lookAtTopics()
    const unknown = [...lasts].filter(([topic]) => !this.seen.has(topic))
    const firsts = unknown.map(([topic, message]) => {
      const { epoch } = offsetAfterVersion(offsets[topic] ?? 0)
      return [
        topic,
        { version: factVersion({ epoch, offset: message.offset + 1 }), message },
      ] as const
    })
    await markFirst(this.store, new Map(firsts))
    for (const [topic, message] of lasts) {
      // Until the next look it stays: a topic that is replaced meanwhile must not vouch for itself.
      if (hasLooked || !this.seen.has(topic)) this.seen.see(topic, message)
    }
  }

  private async flush(offsets: FactOffsets, turn: Turn, before: FactOffsets): Promise<void> {
    const { batch, letters, lasts } = turn
    await this.refuseReplaced(before, turn)
    const { log, state, between, metrics } = this.parts
    const startedAt = performance.now()
    const folded = { sequence: foldedOf(offsets), head: null }
    const moved = batch.touched.announced
    const time = this.rates.hour > 0 ? this.rates.hour * hourSeconds : null
    const reached = { after: this.status.position, accepted: folded, time }
    const told = { ...reached, moved, facts: { ...offsets } }
    state.assertHeld()
    await batch.insertAll(this.store)
    for (const [topic, letter] of letters) {
      await log.append(deadLetterTopic(topic), [letter])
      metrics?.deadLetters.inc({ topic, reason })
    }
    await between('rows')
    const marks = [...lasts].flatMap(([topic, message]) => {
      const [from = 0, to = 0] = [before[topic], offsets[topic]]
      const passed = marksPassed(progressOfTopic(topic), from, to)
      return progressRows(passed, { position: to, logHash: fingerprintOf(message) })
    })
    await writeProgress(this.store, [
      ...progressRows([group], { position: folded.sequence, timestamp: time }),
      ...marks,
    ])
    await between('progress')
    const announcement = announcementOf(group, told)
    const bytes = announcementBytes(announcement)
    const key = outboxKey(folded.sequence)
    await state.commit([writeOffsets(offsets), ...this.rates.beginCommit(), [key, bytes]])
    await between('state')
    const written = this.parts.writeThrough({ announcement, hot: batch.touched.hot })
    // Awaited below; until then its failure is no stray rejection.
    written.catch(() => {})
    await publish(log, group, bytes)
    await written
    await between('announced')
    await state.commit([[key, null]])
    await between('outbox')
    this.status = { ...this.status, deadLetters: this.status.deadLetters + letters.length }
    metrics?.flushSeconds.observe({ group }, (performance.now() - startedAt) / 1_000)
    metrics?.flushedRows.inc({ group }, batch.rowCount)
    this.tellRates()
    this.reach(offsets)
  }

  private tellRates(): void {
    const { metrics, signals } = this.parts
    const { tokens, hour } = this.rates
    metrics?.ratedTokens.set(tokens)
    if (hour > 0) metrics?.rateHour.set(hour * hourSeconds)
    const count = this.rates.takeLeftOut()
    if (count === 0) return
    const fields = { event: events.projector.ratesLeftOut, count, runbook: runbooks.rates }
    signals.warn(
      fields,
      `${count} tokens have a rate that does not order balances: there are more than ${tokens}`,
    )
  }

  private async waitForAny(offsets: FactOffsets): Promise<void> {
    const one = linkedAbort(this.stopping.signal)
    const waits = factFolds.map(({ topic }) =>
      this.parts.log.waitBeyond(topic, offsetAfterVersion(offsets[topic] ?? 0).offset, one.signal),
    )
    const looking = setTimeout(() => one.end(), this.parts.limits.factsLookMs)
    try {
      await Promise.race(waits)
    } finally {
      clearTimeout(looking)
      one.end()
    }
    await this.lookAtTopics()
  }
}
