import { LRUCache } from 'lru-cache'

interface SegmentedCacheOptions<V> {
  /** Of all entries together, in the unit of `sizeOf`. */
  readonly sizeMax: number
  readonly sizeOf: (value: V, name: string) => number
}

/** The share of what was asked for once. An entry above it is not kept. */
const probationShare = 1 / 4

/**
 * A segmented LRU. An entry begins on probation and is protected once it is asked for again;
 * what protection evicts goes back on probation. So a scan, which asks for each name once, evicts
 * what others asked for once, and leaves alone what is asked for again and again.
 */
export class SegmentedCache<V extends object> {
  private readonly probation: LRUCache<string, V>
  private readonly protection: LRUCache<string, V>

  constructor({ sizeMax, sizeOf }: SegmentedCacheOptions<V>) {
    const probationSizeMax = Math.max(1, Math.floor(sizeMax * probationShare))
    const sizeCalculation = (value: V, name: string) => sizeOf(value, name)
    this.probation = new LRUCache({ maxSize: probationSizeMax, sizeCalculation })
    this.protection = new LRUCache({
      maxSize: Math.max(1, sizeMax - probationSizeMax),
      maxEntrySize: probationSizeMax,
      sizeCalculation,
      dispose: (value, name, reason) => {
        if (reason === 'evict') this.probation.set(name, value)
      },
    })
  }

  /** Looks without counting as a use. */
  peek(name: string): V | undefined {
    return this.protection.peek(name) ?? this.probation.peek(name)
  }

  /** Counts a use by another request than the one that set it. */
  use(name: string): void {
    const value = this.probation.peek(name)
    if (value === undefined) this.protection.get(name)
    else this.protect(name, value)
  }

  /** Setting what is there, because it has become old, counts as a use. */
  set(name: string, value: V): void {
    if (this.probation.has(name) || this.protection.has(name)) this.protect(name, value)
    else this.probation.set(name, value)
  }

  /** Of all entries, in the unit of `sizeOf`. */
  get size(): number {
    return this.probation.calculatedSize + this.protection.calculatedSize
  }

  private protect(name: string, value: V): void {
    this.probation.delete(name)
    this.protection.set(name, value)
  }
}
