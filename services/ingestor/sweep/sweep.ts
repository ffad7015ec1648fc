import type { Block, Observation } from '../../../libs/chain/block.ts'
import {
  type ChainSource,
  SourceError,
  type StateRequest,
  type StateResult,
} from '../../../libs/ports/chain-source.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import {
  isEmpty,
  nameOfValue,
  noteOutcome,
  questionAfter,
  valuesIn,
} from '../balances/state-questions.ts'
import type { LogMemory } from '../memory/log-memory.ts'
import { SweepWalk } from './sweep-walk.ts'

type Asked = Pick<Block, 'number' | 'hash'>

interface SweepParts {
  readonly source: Pick<ChainSource, 'hasState' | 'observe'>
  readonly memory: Pick<LogMemory, 'tokens' | 'revertible' | 'accepted' | 'save'>
  /** Pairs asked for after a block; 0: none. */
  readonly sweptPairsMax: number
  /** Of any token, where those leave room. */
  readonly checkedPairsMax: number
  readonly metrics: Pick<Metrics, 'sweptPairs' | 'sweepProgress' | 'seenPairs'> | undefined
}

export interface SweepStatus {
  /** Values that the node was asked for since the start. */
  readonly asked: number
  /** Share of the present round that is done, 0 to 1; 1 where nothing is left to ask for. */
  readonly progress: number
}

interface Answer {
  readonly question: StateRequest
  /** Null if the source has not that state, or failed. */
  readonly result: StateResult | null
}

/** Stable values of a metric label. */
const outcomes = ['observed', 'rejected', 'unanswered', 'outdated'] as const

/**
 * Asks a node for balances that the log alone leaves unknown: of tokens whose history it does not
 * hold, and of tokens that transfers do not explain. Near the head, one question at a time, beside
 * the blocks: no block waits for it. The answer goes into the log before the next block.
 */
export class Sweep {
  readonly #parts: SweepParts
  readonly #walk: SweepWalk
  #asked = 0
  #isAsking = false
  #answer: Answer | null = null
  /** The answer that goes into the log with the next blocks. */
  #taken: Answer | null = null
  #isUsable = false
  #defect: unknown = null

  constructor(parts: SweepParts) {
    this.#parts = parts
    this.#walk = new SweepWalk(parts.memory.tokens, parts.checkedPairsMax)
    for (const outcome of outcomes) parts.metrics?.sweptPairs.inc({ outcome }, 0)
  }

  get status(): SweepStatus {
    return { asked: this.#asked, progress: this.#walk.progress }
  }

  /**
   * What was answered since, if its block still stands and it is known what has changed after it.
   * @throws what a question threw
   */
  observed(): Observation | null {
    if (this.#defect !== null) throw this.#defect
    this.#taken = this.#answer
    const { question, result } = this.#answer ?? {}
    this.#isUsable = question !== undefined && this.#stands(question)
    const isTold = this.#isUsable && result && !isEmpty(result.observation)
    return isTold ? result.observation : null
  }

  #stands({ block, hash }: StateRequest): boolean {
    const { revertible, accepted, tokens } = this.#parts.memory
    const isStanding = revertible.some((one) => one.number === block && one.hash === hash)
    return isStanding && tokens.pairs.isFollowed(block, accepted.head?.number ?? block)
  }

  /** What was observed is published, or of no use. */
  published(): void {
    if (this.#taken !== null) this.#note(this.#taken)
    if (this.#taken === this.#answer) this.#answer = null
    this.#taken = null
    this.#parts.metrics?.seenPairs.set(this.#parts.memory.tokens.pairs.count)
  }

  /** There are more pairs to ask for. */
  wake(): void {
    this.#walk.wake()
  }

  /** Asks for more, as of a block near the head. */
  async next(block: Asked): Promise<void> {
    const { source, memory, sweptPairsMax, metrics } = this.#parts
    const isIdle = !this.#isAsking && this.#answer === null
    if (!isIdle || sweptPairsMax === 0 || !source.hasState) return
    if (this.#walk.begins(block.number)) await memory.save()
    const pairs = await this.#walk.next(block.number, sweptPairsMax)
    metrics?.sweepProgress.set(this.#walk.progress)
    const question = questionAfter(block, pairs)
    if (question !== null) this.#ask(question)
  }

  /** In the background. */
  #ask(question: StateRequest): void {
    this.#isAsking = true
    this.#asked += question.values.length
    this.#parts.source.observe(question, 'background').then(
      (result) => this.#answered({ question, result }),
      (cause: unknown) => {
        if (cause instanceof SourceError) this.#answered({ question, result: null })
        else this.#defect = cause
      },
    )
  }

  #answered(answer: Answer): void {
    this.#isAsking = false
    this.#answer = answer
  }

  #note({ question, result }: Answer): void {
    const { memory, metrics } = this.#parts
    const all = question.values.length
    if (!this.#isUsable || result === null || result.unanswered.length > 0) this.#walk.wake()
    if (result !== null && !this.#isUsable) {
      metrics?.sweptPairs.inc({ outcome: 'outdated' }, all)
      return
    }
    if (result === null) {
      metrics?.sweptPairs.inc({ outcome: 'unanswered' }, all)
      return
    }
    noteOutcome(question, result, memory.tokens)
    const observed = [...valuesIn(result.observation)]
    const told = new Set([...observed, ...result.unanswered].map(nameOfValue))
    const rejected = question.values.filter((value) => !told.has(nameOfValue(value)))
    this.#walk.noteRefused(rejected, question.block)
    metrics?.sweptPairs.inc({ outcome: 'observed' }, observed.length)
    metrics?.sweptPairs.inc({ outcome: 'unanswered' }, result.unanswered.length)
    metrics?.sweptPairs.inc({ outcome: 'rejected' }, rejected.length)
  }
}
