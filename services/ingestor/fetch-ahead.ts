import type { ChainSource, SourceBlock } from '../../libs/ports/node.ts'

interface Fetching {
  readonly number: number
  readonly block: Promise<SourceBlock | null>
  isSettled: boolean
}

/** Fetches blocks before their turn, a bounded number at a time, and hands them out in order. */
export class FetchAhead {
  readonly #source: ChainSource
  readonly #blocksAheadMax: number
  #queue: Fetching[] = []

  constructor(source: ChainSource, blocksAheadMax: number) {
    this.#source = source
    this.#blocksAheadMax = blocksAheadMax
  }

  /**
   * Block `number` and those after it that are there already, each the child of the one before.
   * Empty if the source has no such block any more. @throws what the source throws
   */
  async take(number: number): Promise<readonly SourceBlock[]> {
    if (this.#queue[0]?.number !== number) this.#queue = [this.#fetching(number)]
    await this.#fill()
    const taken: SourceBlock[] = []
    try {
      for (;;) {
        const [first] = this.#queue
        if (!first || (taken.length > 0 && !first.isSettled)) break
        const block = await first.block
        const last = taken.at(-1)
        if (!block || (last && block.parentHash !== last.hash)) {
          this.#queue = []
          break
        }
        taken.push(block)
        this.#queue.shift()
      }
    } catch (cause) {
      this.#queue = []
      if (taken.length === 0) throw cause
    }
    return taken
  }

  /** What was fetched belongs to a fork that is left. */
  clear(): void {
    this.#queue = []
  }

  async #fill(): Promise<void> {
    for (;;) {
      const last = this.#queue.at(-1)
      if (!last || this.#queue.length >= this.#blocksAheadMax) return
      const next = await this.#source.nextNumber(last.number + 1)
      if (next !== last.number + 1) return
      this.#queue.push(this.#fetching(next))
    }
  }

  #fetching(number: number): Fetching {
    const fetching: Fetching = { number, block: this.#source.block(number), isSettled: false }
    const settled = () => {
      fetching.isSettled = true
    }
    fetching.block.then(settled, settled)
    return fetching
  }
}
