/** Keys that begin so are about all entries: where several servers have them, each has the key. */
export const everywherePrefix = 'all|'

/**
 * Bounded key-value cache; losing all entries costs time only. Never throws: an entry that cannot
 * be read in time is a miss, an entry that cannot be written is dropped.
 */
export interface Cache {
  /**
   * One round trip. @returns an entry or undefined for each key, in the order of the keys. Their
   * bytes may be part of a larger response: who keeps them copies them.
   */
  get(keys: readonly string[]): Promise<readonly (CacheEntry | undefined)[]>
  /** Writes each entry, unless an entry of a higher position exists. */
  set(entries: readonly CacheWrite[]): Promise<void>
  /**
   * Takes a lease on a key, which has nothing to do with its entry: one owner has it, until the
   * time has passed or it is released.
   */
  lease(key: string, owner: string, ms: number): Promise<LeaseReply>
  /** @returns whether somebody has a lease on the key; false without an answer */
  isLeased(key: string): Promise<boolean>
  /** Ends a lease early, if this owner has it. */
  release(key: string, owner: string): Promise<void>
  clear(): Promise<void>
  close(): Promise<void>
}

/** `unanswered`: not in time; the lease may be taken all the same. */
export type LeaseReply = 'taken' | 'held' | 'unanswered'

export type CacheWrite = readonly [key: string, entry: CacheEntry]

export interface CacheEntry {
  readonly bytes: Buffer
  /** Position up to which changes were applied when the content was read: 0 to 2^53 - 1. */
  readonly position: number
}
