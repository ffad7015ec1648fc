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
  readonly key: string
  readonly value: V
  readonly size: number
  /** Since the hand has passed it. */
  isUsed: boolean
  older: Entry<V> | null
  newer: Entry<V> | null
}

/**
 * A bounded map that evicts by SIEVE (Zhang and others, NSDI 2024): a hand walks from the oldest
 * entry to the newest, evicts those that nobody has used since it passed, and begins again. A use
 * sets a flag, where an LRU cache moves the entry in a list (figures: `benchmarks/NOTES.md`).
 *
 * The hand is no iterator of the map: V8 keeps the tables that a map had while an iterator stands
 * on them, with all values that were replaced meanwhile.
 */
export class Sieve<V> {
  private readonly entries = new Map<string, Entry<V>>()
  private readonly options: SieveOptions<V>
  private oldest: Entry<V> | null = null
  private newest: Entry<V> | null = null
  /** The entry that it looks at next; null: the oldest. */
  private hand: Entry<V> | null = null
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
    const entry: Entry<V> = { key, value, size, isUsed, older: this.newest, newer: null }
    if (this.newest === null) this.oldest = entry
    else this.newest.newer = entry
    this.newest = entry
    this.entries.set(key, entry)
    this.sizeOfAll += size
  }

  delete(key: string): void {
    const entry = this.entries.get(key)
    if (entry !== undefined) this.remove(entry)
  }

  private evict(): void {
    let entry = this.hand ?? this.oldest
    while (entry?.isUsed) {
      entry.isUsed = false
      entry = entry.newer ?? this.oldest
    }
    if (entry === null) throw new Error(`${this.sizeOfAll} of nothing to evict`)
    this.hand = entry
    this.remove(entry)
    this.options.evicted?.(entry.value, entry.key)
  }

  private remove(entry: Entry<V>): void {
    const { key, size, older, newer } = entry
    if (this.hand === entry) this.hand = newer
    if (older === null) this.oldest = newer
    else older.newer = newer
    if (newer === null) this.newest = older
    else newer.older = older
    // A young object to which an old one points survives collections of the young generation.
    entry.older = null
    entry.newer = null
    this.entries.delete(key)
    this.sizeOfAll -= size
  }
}
