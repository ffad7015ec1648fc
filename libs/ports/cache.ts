/**
 * Bytes by name, bounded; losing all of it costs time only. It never throws: what cannot be had
 * in time is absent, what cannot be kept is not.
 */
export interface Cache {
  /** One round trip. @returns an entry or undefined for each key, in the order of the keys. */
  get(keys: readonly string[]): Promise<readonly (CacheEntry | undefined)[]>
  /** Keeps each entry, unless one of a higher position is there. */
  set(entries: readonly CacheWrite[]): Promise<void>
  clear(): Promise<void>
  close(): Promise<void>
}

export type CacheWrite = readonly [key: string, entry: CacheEntry]

export interface CacheEntry {
  readonly bytes: Buffer
  /** How much had been heard before the content was read: a whole number from 0 to 2^53 - 1. */
  readonly position: number
}
