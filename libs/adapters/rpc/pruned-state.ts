import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'

/** Every node keeps the state of so many newest blocks; many keep no more. */
const keptBlocks = 128
/** Different blocks in a row whose state is lost, after which older ones are not asked for. */
const lostMax = 8
/** Questions about such blocks after which one is asked again. */
const skippedMax = 1_000

/**
 * Down to which block a node keeps the state. That one block is lost says little, as one backend of
 * many may be pruned; so is found out only by several in a row, and doubted again later.
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
    this.#skipped = (this.#skipped + 1) % (skippedMax + 1)
    return this.#skipped !== 0
  }

  /** The node has said, by an answer that no contract takes part in, that it lacks that state. */
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
