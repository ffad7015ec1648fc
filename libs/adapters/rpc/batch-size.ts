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
