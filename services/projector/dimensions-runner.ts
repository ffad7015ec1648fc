import { position } from '../../libs/chain/position.ts'
import type { LogMessage, StoredMessage } from '../../libs/ports/event-log.ts'
import type { Store } from '../../libs/ports/store.ts'
import { progressOf } from '../../libs/queries/progress.ts'
import { events } from '../../libs/signals/events.ts'
import { linkedAbort } from '../../libs/signals/linked-abort.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import type { DeadLetter } from '../../libs/topics/dead-letters.ts'
import { deadLettersOf } from '../../libs/topics/dead-letters.ts'
import { announcementBytes, announcementOf, publish, publishOutbox } from './announce.ts'
import { Batch } from './batch.ts'
import type { DimensionsParts } from './dimensions-parts.ts'
import { type FactFold, factFolds } from './fact-folds.ts'
import { type FactOffsets, foldedOf, readOffsets, writeOffsets } from './fact-offsets.ts'
import { writeProgress } from './flush.ts'
import type { ProjectorLimits } from './limits.ts'
import { retryingLog, retryingWhileLogIsAway } from './retrying-log.ts'
import { retryingStore } from './retrying-store.ts'
import { outboxKey } from './state-keys.ts'
import { Waiting } from './waiting.ts'

type RunnerParts = Required<Omit<DimensionsParts, 'limits' | 'metrics'>> &
  Pick<DimensionsParts, 'metrics'> & { readonly limits: ProjectorLimits }

const group = 'dimensions'
/** Of all dead letters: what a schema refuses. */
const reason = 'invalid'

/** The loop of the fact topics: reads each, folds, flushes in the order of the law. */
export class DimensionsRunner {
  readonly waiting = new Waiting()
  status = { position: 0, deadLetters: 0 }
  private readonly parts: RunnerParts
  private readonly store: Store
  private readonly stopping = new AbortController()

  constructor(parts: RunnerParts) {
    const { limits, signals } = parts
    const saying = { signals, signal: this.stopping.signal, group }
    this.store = retryingStore(parts.store, limits, saying)
    const retried = retryingWhileLogIsAway(limits, { ...saying, metrics: parts.metrics })
    this.parts = { ...parts, log: retryingLog(parts.log, retried) }
  }

  stop(): void {
    this.stopping.abort()
  }

  /** @returns what ended it, or null if it was stopped. */
  async run(): Promise<Error | null> {
    try {
      let offsets = await this.start()
      while (!this.stopping.signal.aborted) offsets = await this.turn(offsets)
      this.waiting.end(new Error('the dimensions projector was stopped'))
      return null
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown))
      this.waiting.end(error)
      if (this.stopping.signal.aborted) return null
      const fields = { event: events.projector.halted, group, error: error.message }
      this.parts.signals.error(fields, `${group} has halted: ${error.message}`)
      return error
    }
  }

  private async start(): Promise<FactOffsets> {
    const { log, state } = this.parts
    for (const { topic } of factFolds) this.parts.metrics?.deadLetters.inc({ topic, reason }, 0)
    const progress = (await progressOf(this.store)).get(group)?.position ?? 0
    const offsets = readOffsets(state)
    await publishOutbox(log, state, group)
    // A store that has lost rows gets all facts again: the last of a key wins, however often.
    if (foldedOf(offsets) > progress) return {}
    this.reach(offsets)
    return offsets
  }

  private reach(offsets: FactOffsets): void {
    this.status = { ...this.status, position: foldedOf(offsets) }
    const { metrics } = this.parts
    metrics?.indexedPosition.set({ group }, this.status.position)
    for (const { topic } of factFolds) metrics?.indexedOffset.set({ topic }, offsets[topic] ?? 0)
    this.waiting.reach(this.status.position)
  }

  /** Reads each topic once; flushes what came, or waits for any of them. */
  private async turn(offsets: FactOffsets): Promise<FactOffsets> {
    const { log, limits } = this.parts
    const batch = new Batch(limits)
    const letters: [of: string, letter: LogMessage][] = []
    let after = offsets
    for (const fold of factFolds) {
      const offset = offsets[fold.topic] ?? 0
      const limit = { messagesMax: limits.readMessagesMax, bytesMax: limits.readBytesMax }
      const messages = await log.read(fold.topic, offset, limit)
      for (const message of messages) {
        const letter = this.take(batch, fold, message)
        if (letter !== null) letters.push([fold.topic, letter])
      }
      // A compacted topic has holes: its messages are fewer than its offsets.
      const last = messages.at(-1)
      if (last !== undefined) after = { ...after, [fold.topic]: last.offset + 1 }
    }
    if (foldedOf(after) === foldedOf(offsets)) await this.waitForAny(offsets)
    else await this.flush(after, batch, letters)
    return after
  }

  private take(batch: Batch, fold: FactFold, message: StoredMessage): LogMessage | null {
    const rows = fold.rows(message.value, position(message.offset + 1))
    if ('message' in rows) {
      batch.add([rows.message], message.value.length)
      return null
    }
    const { topic } = fold
    const { offset, key, time = null, headers = {} } = message
    const { deadLetters: runbook } = runbooks
    const error = rows.invalid
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
      error: rows.invalid,
    }
    return { key, value: encodeMessage(letter) }
  }

  private async flush(
    offsets: FactOffsets,
    batch: Batch,
    letters: readonly [of: string, letter: LogMessage][],
  ): Promise<void> {
    const { log, state, between, metrics } = this.parts
    const startedAt = performance.now()
    const folded = { sequence: foldedOf(offsets), head: null }
    const moved = batch.moved.announced
    const told = { after: this.status.position, accepted: folded, moved, facts: { ...offsets } }
    state.assertHeld()
    await batch.insertAll(this.store)
    for (const [topic, letter] of letters) {
      await log.append(deadLettersOf(topic), [letter])
      metrics?.deadLetters.inc({ topic, reason })
    }
    await between('rows')
    await writeProgress(this.store, group, { accepted: folded, knownFrom: 0 })
    await between('progress')
    const announcement = announcementOf(group, told)
    const bytes = announcementBytes(announcement)
    const key = outboxKey(folded.sequence)
    await state.commit([writeOffsets(offsets), [key, bytes]])
    await between('state')
    const written = this.parts.writeThrough({ announcement, hot: batch.moved.hot })
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
    this.reach(offsets)
  }

  private async waitForAny(offsets: FactOffsets): Promise<void> {
    const one = linkedAbort(this.stopping.signal)
    const waits = factFolds.map(({ topic }) =>
      this.parts.log.waitBeyond(topic, offsets[topic] ?? 0, one.signal),
    )
    try {
      await Promise.race(waits)
    } finally {
      one.end()
    }
  }
}
