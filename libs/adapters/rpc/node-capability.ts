/** Refusals in a row, of different blocks, after which they are believed. */
const refusalsMax = 3
/** Times that it is then not tried, before it is tried again. */
const skippedMax = 1_000

/**
 * Something that a node may be unable to do. One refusal says little, as one of many backends may
 * have given it; and what was true once need not stay so.
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

  /** @returns whether it is believed from now on that the node cannot do it */
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
