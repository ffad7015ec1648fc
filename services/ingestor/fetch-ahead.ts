import type { ChainSource, SourceBlock } from '../../libs/ports/chain-source.ts'

interface Fetching {
  readonly number: number
  readonly block: Promise<SourceBlock | null>
  isSettled: boolean
}

interface AheadLimits {
  readonly blocksAheadMax: number
  readonly bytesAheadMax: number
}

/** What a transaction or a log takes in a message besides its bytes, about. */
const overheadBytes = 500

/** Of a block's message, about. */
function sizeOf({ transactions }: SourceBlock): number {
  let bytes = 0
  for (const { input, logs } of transactions) {
    bytes += overheadBytes + input.length
    for (const { data } of logs) bytes += overheadBytes + data.length
  }
  return bytes
}

/** Prefetches a bounded number of blocks and returns them in order. */
export class FetchAhead {
  readonly #source: ChainSource
  readonly #limits: AheadLimits
  #queue: Fetching[] = []
  /** Bytes of the newest blocks that were taken, about. */
  #sizes: number[] = []

  readonly #onFetched: (block: SourceBlock) => void

  constructor(
    source: ChainSource,
    limits: AheadLimits,
    onFetched: (block: SourceBlock) => void = () => {},
  ) {
    this.#source = source
    this.#limits = limits
    this.#onFetched = onFetched
  }

  /**
   * Block `number` and those after it that are there already, each the child of the one before.
   * Empty if the source has no such block any more. @throws what the source throws
   */
  async take(number: number): Promise<readonly SourceBlock[]> {
    if (this.#queue[0]?.number !== number) this.#queue = [this.#fetching(number)]
    await this.#fill()
    const taken: SourceBlock[] = []
    let bytes = 0
    try {
      for (;;) {
        const [first] = this.#queue
        if (!first || (taken.length > 0 && !first.isSettled)) break
        if (bytes >= this.#limits.bytesAheadMax) break
        const block = await first.block
        const last = taken.at(-1)
        if (!block || (last && block.parentHash !== last.hash)) {
          this.#queue = []
          break
        }
        taken.push(block)
        bytes += this.#noteSize(block)
        this.#queue.shift()
      }
    } catch (cause) {
      this.#queue = []
      if (taken.length === 0) throw cause
    }
    return taken
  }

  /** Discards prefetched blocks, after a fork. */
  clear(): void {
    this.#queue = []
  }

  /** Fewer if recent blocks were large. */
  get #aheadMax(): number {
    const { blocksAheadMax, bytesAheadMax } = this.#limits
    const fitting = Math.floor(bytesAheadMax / Math.max(1, ...this.#sizes))
    return Math.max(1, Math.min(blocksAheadMax, fitting))
  }

  #noteSize(block: SourceBlock): number {
    const size = sizeOf(block)
    this.#sizes = [...this.#sizes.slice(1 - this.#limits.blocksAheadMax), size]
    return size
  }

  async #fill(): Promise<void> {
    for (;;) {
      const last = this.#queue.at(-1)
      if (!last || this.#queue.length >= this.#aheadMax) return
      const next = await this.#source.nextNumber(last.number + 1)
      if (next !== last.number + 1) return
      this.#queue.push(this.#fetching(next))
    }
  }

  #fetching(number: number): Fetching {
    const fetching: Fetching = { number, block: this.#source.block(number), isSettled: false }
    const settled = (block: SourceBlock | null) => {
      fetching.isSettled = true
      if (block !== null) this.#onFetched(block)
    }
    fetching.block.then(settled, () => settled(null))
    return fetching
  }
}
