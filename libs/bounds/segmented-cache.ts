import { LRUCache } from 'lru-cache'

interface SegmentedCacheOptions<V> {
  /** Bound of all entries, in the unit of `sizeOf`. */
  readonly sizeMax: number
  readonly sizeOf: (value: V, key: string) => number
}

/** Share of entries requested once. A larger entry is not cached. */
const probationShare = 1 / 4

/**
 * A cache in two segments. An entry starts on probation and is protected at its second request;
 * entries evicted from protection return to probation. So a scan, which requests each key once,
 * evicts entries requested once, and no frequently requested ones.
 */
export class SegmentedCache<V extends object> {
  private readonly probation: LRUCache<string, V>
  private readonly protection: LRUCache<string, V>

  constructor({ sizeMax, sizeOf }: SegmentedCacheOptions<V>) {
    const probationSizeMax = Math.max(1, Math.floor(sizeMax * probationShare))
    const options = { maxEntrySize: probationSizeMax, sizeCalculation: sizeOf }
    this.probation = new LRUCache({ ...options, maxSize: probationSizeMax })
    this.protection = new LRUCache({
      ...options,
      maxSize: Math.max(1, sizeMax - probationSizeMax),
      dispose: (value, key, reason) => {
        if (reason === 'evict') this.probation.set(key, value)
      },
    })
  }

  /** Reads and counts a use. */
  get(key: string): V | undefined {
    const value = this.protection.get(key)
    if (value !== undefined) return value
    const onProbation = this.probation.peek(key)
    if (onProbation !== undefined) this.protect(key, onProbation)
    return onProbation
  }

  /** Reads without counting as a use. */
  peek(key: string): V | undefined {
    return this.protection.peek(key) ?? this.probation.peek(key)
  }

  /** Counts a use by a request other than the one that set it. */
  use(key: string): void {
    this.get(key)
  }

  /** Replacing a stale entry counts as a use. */
  set(key: string, value: V): void {
    if (this.probation.has(key) || this.protection.has(key)) this.protect(key, value)
    else this.probation.set(key, value)
  }

  /** Size of all entries, in the unit of `sizeOf`. */
  get size(): number {
    return this.probation.calculatedSize + this.protection.calculatedSize
  }

  private protect(key: string, value: V): void {
    this.probation.delete(key)
    this.protection.set(key, value)
  }
}
