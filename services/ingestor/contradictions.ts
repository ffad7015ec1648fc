import { BlockRefused, type SourceError } from '../../libs/ports/chain-source.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'

/** Failures that say nothing about a block: neither a proof nor a counter-proof. */
const silent: ReadonlySet<string> = new Set([
  'unreachable',
  'timed-out',
  'rate-limited',
  'unavailable',
  'refused',
] satisfies SourceError['kind'][])

/**
 * Decides when a block can never be accepted: its answers contradict themselves in the same way,
 * under the same hash, at every one of a number of tries. A node that is behind, or one of several
 * backends that disagree, gives another answer in between.
 */
export class Contradictions {
  readonly #max: number
  #last: string | null = null
  #count = 0

  constructor(max: number) {
    this.#max = max
  }

  /** Tries in a row that ended in the same contradiction. */
  get count(): number {
    return this.#count
  }

  get isRefused(): boolean {
    return this.#count >= this.#max
  }

  /** @returns how often this contradiction has come in a row, of how many; null if it is none */
  note({ kind, contradiction }: SourceError): string | null {
    if (silent.has(kind)) return null
    if (contradiction === null) {
      this.clear()
      return null
    }
    this.#count = contradiction === this.#last ? this.#count + 1 : 1
    this.#last = contradiction
    return `try ${this.#count} of ${this.#max}`
  }

  /** Something else came: the source is not at the end of its words. */
  clear(): void {
    this.#last = null
    this.#count = 0
  }
}

/** @param cause the last of the tries */
export const refusedAfter = (tries: number, { message }: SourceError): BlockRefused =>
  new BlockRefused(
    `the source has given the same contradictory answers ${tries} times: ${message}. ` +
      `See ${runbooks.blockRefused}`,
  )
