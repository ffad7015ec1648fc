import pTimeout from 'p-timeout'
import type { Address } from '../../libs/chain/hex.ts'
import {
  BlockRefused,
  type ChainSource,
  type SourceBlock,
  SourceError,
  sourceErrorKinds,
} from '../../libs/ports/chain-source.ts'
import { type EventLog, LogUnavailable } from '../../libs/ports/event-log.ts'
import { atMostEvery, warnEveryMs } from '../../libs/signals/at-most-every.ts'
import { BlockStage } from '../../libs/signals/block-stage.ts'
import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import { pause } from '../../libs/signals/pause.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import { FirstSeen } from './contracts/first-seen.ts'
import { Contradictions, refusedAfter } from './contradictions.ts'
import { MessageDraft, publishDraft } from './draft.ts'
import { draftBlocks, draftObservation, StateRetries } from './draft-blocks.ts'
import { FetchAhead } from './fetch-ahead.ts'
import { isOnSourceChain, orphanedBlocks } from './fork.ts'
import type { IngestorLimits } from './memory/ingestor-limits.ts'
import type { LogMemory, RevertibleBlock } from './memory/log-memory.ts'
import { Recipients } from './recipients.ts'
import type { Ingestor, IngestorStatus } from './running-ingestor.ts'
import { HolderReader } from './sweep/holder-reader.ts'
import { Sweep } from './sweep/sweep.ts'

type IngestionMetrics = Pick<
  Metrics,
  | 'publishedPosition'
  | 'publishedBlock'
  | 'publishedTime'
  | 'sourceBlock'
  | 'reorganisations'
  | 'revertedBlocks'
  | 'nodeRetries'
  | 'logRetries'
  | 'questionsDeferred'
  | 'pendingBalances'
  | 'waitingTokens'
  | 'sweptPairs'
  | 'sweepProgress'
  | 'seenPairs'
  | 'blockStageSeconds'
>

interface IngestionParts {
  readonly source: ChainSource
  readonly eventLog: EventLog
  readonly memory: LogMemory
  readonly log: Log
  readonly metrics: IngestionMetrics | undefined
  readonly limits: IngestorLimits
  readonly undoBlocksMax: number
  readonly fromBlock: number
  readonly allowGaps: boolean
  readonly coinEmitters: readonly Address[]
}

/** The run of an ingestor: one step after the other until it is stopped, halted or exhausted. */
export class Ingestion {
  readonly #parts: IngestionParts
  readonly #ahead: FetchAhead
  readonly #seen = new FirstSeen()
  readonly #published: BlockStage
  readonly #recipients: Recipients
  readonly #patience: StateRetries
  readonly #contradictions: Contradictions
  readonly #sweep: Sweep
  readonly #holders: HolderReader
  readonly #stopping = new AbortController()
  #phase: IngestorStatus['phase'] = 'starting'
  readonly #isLogWarningDue = atMostEvery(warnEveryMs)
  #sourceHead: number | null = null
  /** A source whose next block cannot be taken goes on, which is to be seen. */
  #isHeadOld = true
  #trouble: IngestorStatus['trouble'] = null
  /** The source may have left our head while we were away, or while it had nothing newer. */
  #mayHaveForked = true

  constructor(parts: IngestionParts) {
    this.#parts = parts
    this.#ahead = new FetchAhead(parts.source, parts.limits, (block) => this.#seen.note(block))
    this.#published = new BlockStage(parts.metrics, 'published')
    this.#recipients = new Recipients(parts.limits)
    this.#patience = new StateRetries(parts.limits, parts.log)
    this.#contradictions = new Contradictions(parts.limits.contradictionsMax)
    this.#sweep = new Sweep({ ...parts, ...parts.limits })
    const { retryMaxMs: retryMs } = parts.limits
    this.#holders = new HolderReader({ ...parts, retryMs }, parts.memory.tokens.holders.offset)
    for (const reason of sourceErrorKinds) parts.metrics?.nodeRetries.inc({ reason }, 0)
    parts.metrics?.logRetries.inc({ part: 'ingestor' }, 0)
    for (const kind of ['balance', 'token', 'pair'] as const) {
      for (const reason of ['bound', 'full', 'expired'] as const) {
        parts.metrics?.questionsDeferred.inc({ kind, reason }, 0)
      }
    }
  }

  start(): Ingestor {
    let fail: (error: Error) => void = () => {}
    let finish: () => void = () => {}
    const failed = new Promise<Error>((resolve) => {
      fail = resolve
    })
    const done = new Promise<void>((resolve) => {
      finish = resolve
    })
    const running = this.#run().then(
      () => {
        if (this.#phase === 'exhausted') finish()
      },
      (cause: unknown) => fail(this.#halted(cause)),
    )
    const { source, limits } = this.#parts
    const asks = source.hasState && limits.sweptPairsMax > 0
    const reading = (asks ? this.#holders.run(this.#stopping.signal) : Promise.resolve()).catch(
      (cause: unknown) => fail(this.#halted(cause)),
    )
    return {
      failed,
      done,
      status: () => this.#status(),
      stop: async () => {
        this.#stopping.abort(new Error('stopped'))
        await Promise.all([running, reading])
        if (this.#phase !== 'halted') this.#phase = 'stopped'
      },
    }
  }

  async #run(): Promise<void> {
    const { memory, limits } = this.#parts
    let pauseMs = limits.retryMinMs
    this.#updateMetrics()
    while (!this.#stopping.signal.aborted && this.#phase !== 'exhausted') {
      try {
        await this.#step()
        this.#trouble = null
        this.#contradictions.clear()
        pauseMs = limits.retryMinMs
      } catch (cause) {
        if (this.#stopping.signal.aborted) break
        if (!(cause instanceof SourceError || cause instanceof LogUnavailable)) throw cause
        // The fork that makes the trouble is not seen where the source promises more than it has.
        this.#mayHaveForked = true
        this.#isHeadOld = true
        if (cause instanceof SourceError) this.#noteTrouble(cause, pauseMs)
        else this.#noteLogUnavailable(cause, pauseMs)
        await pause(pauseMs, this.#stopping.signal)
        pauseMs = Math.min(pauseMs * 2, limits.retryMaxMs)
      }
    }
    await memory.save()
  }

  /** Publishes the next blocks, or undoes those that the source has left, or waits. */
  async #step(): Promise<void> {
    const { source, memory, fromBlock } = this.#parts
    await memory.catchUp()
    if (!(await this.#isOnSourceChain())) return this.#undoFork()
    const { next } = memory.accepted
    const number = await this.#ask(source.nextNumber(next?.number ?? fromBlock))
    if (number === null) return this.#atHead()
    if (next && number > next.number) return this.#gap(next.number, number - 1)
    const known = this.#isHeadOld ? null : this.#sourceHead
    const head = known !== null && number <= known ? known : await this.#lookAtHead()
    this.#phase = number < head ? 'catching-up' : 'following'
    const blocks = await this.#ask(this.#ahead.take(number))
    const [first] = blocks
    if (!first) throw new SourceError('half-answer', `the source does not have block ${number}`)
    const parentHash = next?.parentHash ?? null
    if (parentHash !== null && first.parentHash !== parentHash) return this.#undoFork()
    await this.#publishBlocks(blocks)
  }

  async #isOnSourceChain(): Promise<boolean> {
    const { source, memory } = this.#parts
    const stands = !this.#mayHaveForked || (await this.#ask(isOnSourceChain(memory, source)))
    this.#mayHaveForked = !stands
    return stands
  }

  async #publishBlocks(blocks: readonly SourceBlock[]): Promise<void> {
    const { memory } = this.#parts
    const draft = new MessageDraft(memory.accepted, this.#parts.source.chainId)
    const [recipients, patience] = [this.#recipients, this.#patience]
    const sampledFrom = (this.#sourceHead ?? 0) - this.#parts.limits.sampledDepthMax
    const seen = this.#seen.of(blocks, this.#sourceHead ?? 0)
    const options = { ...this.#parts, recipients, patience, sampledFrom, seen }
    draftObservation(draft, this.#sweep.observed())
    await this.#ask(draftBlocks(draft, blocks, options))
    if (await this.#publish(draft)) for (const time of seen.values()) this.#published.reached(time)
    this.#sweep.published()
    const { head } = memory.accepted
    if (head !== null && head.number >= sampledFrom) {
      this.#takeHolders()
      await this.#sweep.next(head)
    }
    const { number = 0, hash } = blocks.at(-1) ?? {}
    const fields = { event: events.ingestor.published, block: number, hash, count: blocks.length }
    this.#parts.log.debug(fields, `published up to block ${number}`)
  }

  /** None where no more pairs are remembered: they stay in their topic. */
  #takeHolders(): void {
    const { tokens } = this.#parts.memory
    const named = tokens.pairs.isFull ? null : this.#holders.take()
    if (named === null) return
    tokens.noteHolders(named.pairs, named.offset)
    this.#sweep.wake()
  }

  /** At the end of what the source has: over, or wait for more or for a fork. */
  async #atHead(): Promise<void> {
    const { source, memory, log, fromBlock } = this.#parts
    const block = memory.accepted.head?.number ?? null
    await this.#lookAtHead()
    if (source.endsAtHead) {
      this.#phase = 'exhausted'
      log.info({ event: events.ingestor.exhausted, block }, 'the source has no more blocks')
      return
    }
    this.#phase = 'following'
    const last = (memory.accepted.next?.number ?? fromBlock) - 1
    await this.#ask(source.waitAbove(last, this.#stopping.signal))
    this.#mayHaveForked = true
  }

  async #lookAtHead(): Promise<number> {
    const head = await this.#ask(this.#parts.source.head())
    this.#sourceHead = head
    this.#isHeadOld = false
    this.#parts.metrics?.sourceBlock.set(head)
    return head
  }

  async #gap(from: number, to: number): Promise<void> {
    const { source, memory, log, allowGaps } = this.#parts
    if (!allowGaps) {
      throw new Error(
        `the source has block ${from - 1} and then block ${to + 1}: ${missingBlocks(from, to)} ` +
          '(--allow-gaps skips them)',
      )
    }
    const draft = new MessageDraft(memory.accepted, source.chainId)
    draft.add((envelope) => ({ ...envelope, kind: 'gap.declared', from, to }))
    await this.#publish(draft)
    const fields = { event: events.ingestor.gapDeclared, from, to }
    const unknown = 'balances that they may have changed are unknown'
    log.warn(fields, `${missingBlocks(from, to)}: ${unknown}`)
  }

  /** Undoes what the source has left, newest first. */
  async #undoFork(): Promise<void> {
    const { source, memory, log, metrics, limits, undoBlocksMax } = this.#parts
    this.#ahead.clear()
    this.#recipients.forget()
    const left = await this.#ask(orphanedBlocks(memory, source, undoBlocksMax))
    if (left.length === 0) {
      throw new SourceError(
        'wrong-answer',
        'the source returned a block of a chain that it is not on',
      )
    }
    for (const run of undoRuns(left, limits.blocksAheadMax)) {
      const draft = new MessageDraft(memory.accepted, source.chainId)
      for (const standing of run) {
        const { block, tokens, contracts } = await memory.appliedAt(standing)
        const reverted = { block, tokens, contracts }
        draft.add((envelope) => ({ ...envelope, kind: 'block.reverted', ...reverted }))
      }
      if (!(await this.#publish(draft))) return
    }
    metrics?.reorganisations.inc()
    metrics?.revertedBlocks.inc(left.length)
    const fields = { event: events.ingestor.reorganised, depth: left.length }
    log.info(fields, `reverted ${left.length} blocks that are no longer on the source's chain`)
  }

  /** @returns false if another ingestor came first */
  async #publish(draft: MessageDraft): Promise<boolean> {
    const { eventLog, memory, limits, log } = this.#parts
    const foreign = await publishDraft(draft, { eventLog, memory, limits })
    if (foreign !== null) {
      // Another ingestor came first. What it wrote decides; ours was read back like any other's.
      this.#ahead.clear()
      const fields = { event: events.ingestor.raceLost, offset: foreign }
      log.warn(fields, 'another ingestor has published concurrently: continuing after its messages')
    }
    this.#updateMetrics()
    if (memory.isSaveDue) await memory.save()
    return foreign === null
  }

  #updateMetrics(): void {
    const { memory, metrics } = this.#parts
    const { sequence, head } = memory.accepted
    metrics?.publishedPosition.set(sequence)
    if (head !== null) metrics?.publishedBlock.set(head.number)
    if (head !== null && head.timestamp !== null) metrics?.publishedTime.set(head.timestamp)
    metrics?.pendingBalances.set(memory.tokens.pending.count)
    metrics?.waitingTokens.set(memory.tokens.queue.count)
  }

  /** Rejects at once when stopped: not for writes, which must be awaited. */
  #ask<T>(question: Promise<T>): Promise<T> {
    const { signal } = this.#stopping
    return pTimeout(question, { milliseconds: Number.POSITIVE_INFINITY, signal })
  }

  /** @throws BlockRefused after the last try of a block that cannot be accepted */
  #noteTrouble(cause: SourceError, pauseMs: number): void {
    this.#parts.metrics?.nodeRetries.inc({ reason: cause.kind })
    const tried = this.#contradictions.note(cause)
    const { isRefused, count } = this.#contradictions
    if (isRefused) throw refusedAfter(count, cause)
    const isRepeated = tried !== null && count > 1
    const sentence = isRepeated ? `${cause.message} (${tried})` : cause.message
    this.#trouble = { kind: isRepeated ? 'block-refused' : cause.kind, sentence }
    const fields = {
      event: events.node.retried,
      kind: cause.kind,
      pauseMs,
      runbook: isRepeated ? runbooks.blockRefused : runbooks.nodeUnavailable,
    }
    this.#parts.log.warn(fields, `the source returned an error, retrying: ${sentence}`)
  }

  /** What was on its way may be in the log or not: the next step begins by reading back. */
  #noteLogUnavailable({ message }: LogUnavailable, pauseMs: number): void {
    this.#parts.metrics?.logRetries.inc({ part: 'ingestor' })
    this.#trouble = { kind: 'log-unavailable', sentence: message }
    const fields = {
      event: events.ingestor.logRetried,
      pauseMs,
      runbook: runbooks.kafkaUnavailable,
    }
    const level = this.#isLogWarningDue() ? 'warn' : 'debug'
    this.#parts.log[level](fields, `the log is unavailable, retrying: ${message}`)
  }

  #halted(cause: unknown): Error {
    const error = cause instanceof Error ? cause : new Error(String(cause))
    this.#phase = 'halted'
    const isRefusal = error instanceof BlockRefused
    if (isRefusal) this.#trouble = { kind: 'block-refused', sentence: error.message }
    const fields = { event: events.ingestor.halted, error }
    const named = isRefusal ? { ...fields, runbook: runbooks.blockRefused } : fields
    this.#parts.log.error(named, error.message)
    return error
  }

  #status(): IngestorStatus {
    const { sequence, head } = this.#parts.memory.accepted
    return {
      phase: this.#phase,
      position: sequence,
      block: head?.number ?? null,
      sourceHead: this.#sourceHead,
      sweep: this.#sweep.status,
      trouble: this.#trouble,
    }
  }
}

const missingBlocks = (from: number, to: number): string =>
  from === to ? `block ${from} is missing` : `blocks ${from} to ${to} are missing`

/** Blocks that came in parts go alone: their messages are held in memory until they are out. */
function* undoRuns(
  left: readonly RevertibleBlock[],
  blocksMax: number,
): Generator<readonly RevertibleBlock[]> {
  let run: RevertibleBlock[] = []
  for (const standing of left) {
    if (run.length >= blocksMax || (run.length > 0 && standing.whole !== null)) {
      yield run
      run = []
    }
    run.push(standing)
  }
  if (run.length > 0) yield run
}
