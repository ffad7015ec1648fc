interface Observed {
  readonly sequence: number
  /** The head at that place of the log. */
  readonly block: number
  /** Of the keys of pairs. */
  readonly names: readonly string[]
}

/** Pairs that the newest observations told, for the case that a fork takes those back. */
export class ObservedLately {
  readonly #pairsMax: number
  /** Ascending. */
  #list: Observed[] = []
  #count = 0
  #from = Number.POSITIVE_INFINITY

  constructor(pairsMax: number) {
    this.#pairsMax = pairsMax
  }

  /** Observations of earlier sequences are not known here. */
  get from(): number {
    return this.#from
  }

  /** The first message of this process: observations from then on are known. */
  begin(sequence: number): void {
    if (this.#from === Number.POSITIVE_INFINITY) this.#from = sequence
  }

  note(observed: Observed): void {
    if (observed.names.length === 0) return
    this.#list.push(observed)
    this.#count += observed.names.length
    while (this.#count > this.#pairsMax) this.#forgetOldest()
  }

  /** Removes and returns what was told from a sequence on. */
  *takeSince(sequence: number): Generator<string> {
    for (;;) {
      const newest = this.#list.at(-1)
      if (newest === undefined || newest.sequence < sequence) return
      this.#list.pop()
      this.#count -= newest.names.length
      yield* newest.names
    }
  }

  /** No fork reverts lower blocks any more. */
  forgetBelow(block: number): void {
    while ((this.#list[0]?.block ?? block) < block) this.#forgetOldest()
  }

  clear(): void {
    this.#list = []
    this.#count = 0
    this.#from = Number.POSITIVE_INFINITY
  }

  #forgetOldest(): void {
    const oldest = this.#list.shift()
    if (oldest === undefined) return
    this.#count -= oldest.names.length
    this.#from = Math.max(this.#from, oldest.sequence + 1)
  }
}
