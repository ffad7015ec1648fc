interface SieveOptions<V> {
  /** Bound of all entries, in the unit of `sizeOf`. */
  readonly sizeMax: number
  /** A larger entry is not cached; `sizeMax` by default. */
  readonly entrySizeMax?: number
  readonly sizeOf: (value: V, key: string) => number
  /** Called for what gives way to others. */
  readonly evicted?: (value: V, key: string) => void
}

interface Entry<V> {
  readonly value: V
  readonly size: number
  /** Since the hand has passed it. */
  isUsed: boolean
}

/**
 * A bounded map that evicts by SIEVE (Zhang and others, NSDI 2024): a hand walks from the oldest
 * entry to the newest, evicts those that nobody has used since it passed, and begins again. A use
 * sets a flag, where an LRU cache moves the entry in a list (figures: `libs/README.md`).
 */
export class Sieve<V> {
  private readonly entries = new Map<string, Entry<V>>()
  private readonly options: SieveOptions<V>
  /** Stays valid while entries come and go. */
  private hand = this.entries.entries()
  private sizeOfAll = 0

  constructor(options: SieveOptions<V>) {
    this.options = options
  }

  /** Of all entries, in the unit of `sizeOf`. */
  get size(): number {
    return this.sizeOfAll
  }

  has(key: string): boolean {
    return this.entries.has(key)
  }

  /** Reads and counts a use. */
  get(key: string): V | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) return undefined
    entry.isUsed = true
    return entry.value
  }

  /** Reads without counting as a use. */
  peek(key: string): V | undefined {
    return this.entries.get(key)?.value
  }

  /** @param isUsed whether that counts as a use */
  set(key: string, value: V, isUsed: boolean): void {
    const { sizeMax, entrySizeMax = sizeMax, sizeOf } = this.options
    this.delete(key)
    const size = sizeOf(value, key)
    if (size > Math.min(entrySizeMax, sizeMax)) return
    while (this.sizeOfAll + size > sizeMax) this.evict()
    this.entries.set(key, { value, size, isUsed })
    this.sizeOfAll += size
  }

  delete(key: string): void {
    const entry = this.entries.get(key)
    if (entry === undefined) return
    this.entries.delete(key)
    this.sizeOfAll -= entry.size
  }

  /** There is at least one entry. */
  private evict(): void {
    for (;;) {
      const { value: next } = this.hand.next()
      if (next === undefined) {
        this.hand = this.entries.entries()
        continue
      }
      const [key, entry] = next
      if (entry.isUsed) {
        entry.isUsed = false
        continue
      }
      this.delete(key)
      this.options.evicted?.(entry.value, key)
      return
    }
  }
}
