import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'

/** Consecutive refusals, of different blocks, after which the capability counts as missing. */
const refusalsMax = 3
/** Times that it is then not tried, before it is tried again. */
const skippedMax = 1_000

/**
 * Something that a node may not support. One refusal is weak evidence, as it may come from one of
 * many backends; and support may change later.
 */
export class NodeCapability {
  readonly #refused = new Set<number>()
  #skipped = 0

  /** Whether to try it now. Each call counts. */
  isWorthTrying(): boolean {
    if (this.#refused.size < refusalsMax) return true
    this.#skipped = (this.#skipped + 1) % (skippedMax + 1)
    return this.#skipped === 0
  }

  /** @returns whether the capability counts as missing from now on */
  refused(block: number): boolean {
    const before = this.#refused.size
    if (before < refusalsMax) this.#refused.add(block)
    return before < refusalsMax && this.#refused.size === refusalsMax
  }

  answered(): void {
    this.#refused.clear()
    this.#skipped = 0
  }
}

/** Batches answered after which a larger one is tried again. */
const answeredMin = 1_000

/**
 * Calls that go into one request. Halved when the node refuses a batch, and doubled again later:
 * it may have been one backend of many, or the size of one answer.
 */
export class BatchSize {
  readonly #max: number
  #callsMax: number
  #answered = 0

  constructor(max: number) {
    this.#max = max
    this.#callsMax = max
  }

  get callsMax(): number {
    return this.#callsMax
  }

  /** @returns whether batches are smaller from now on */
  refused(callsCount: number): boolean {
    this.#answered = 0
    const half = Math.max(1, Math.ceil(callsCount / 2))
    if (half >= this.#callsMax) return false
    this.#callsMax = half
    return true
  }

  answered(): void {
    if (this.#callsMax >= this.#max || ++this.#answered < answeredMin) return
    this.#answered = 0
    this.#callsMax = Math.min(this.#max, this.#callsMax * 2)
  }
}

/** Every node keeps the state of so many newest blocks; many keep no more. */
const keptBlocks = 128
/** Different blocks in a row whose state is lost, after which older ones are not asked for. */
const lostMax = 8
/** Questions about pruned blocks after which one is asked again. */
const skippedPrunedMax = 1_000

/**
 * The oldest block whose state a node keeps. One lost state is weak evidence, as one backend of
 * many may be pruned; so several in a row are required, and the conclusion is checked again later.
 */
export class PrunedState {
  readonly #log: Log
  readonly #lost = new Set<number>()
  /** Not worth asking up to this block; -1 if all are. */
  #lostTo = -1
  #skipped = 0

  constructor(log: Log) {
    this.#log = log
  }

  /** Whether the state of a block is probably gone. Each call counts. */
  isLost(block: number): boolean {
    if (block > this.#lostTo) return false
    this.#skipped = (this.#skipped + 1) % (skippedPrunedMax + 1)
    return this.#skipped !== 0
  }

  /** The node lacks that state, shown by a response in which no contract takes part. */
  lost(block: number, head: number): void {
    const prunedTo = head - keptBlocks
    if (this.#lostTo !== -1) {
      // A long backfill need not learn it block by block; near the head it may be a bad answer.
      if (block <= prunedTo) this.#lostTo = Math.max(this.#lostTo, prunedTo)
      return
    }
    this.#lost.add(block)
    if (this.#lost.size < lostMax) return
    this.#lostTo = Math.max(...this.#lost, prunedTo)
    const fields = { event: events.node.unsupported, block }
    const sentence = 'contracts are queried as of newer blocks, and balances once those are reached'
    this.#log.warn(fields, `the node keeps no state of old blocks: ${sentence}`)
  }

  kept(block: number): void {
    if (this.#lostTo !== -1 && block > this.#lostTo) return
    this.#lost.clear()
    this.#lostTo = -1
    this.#skipped = 0
  }
}
