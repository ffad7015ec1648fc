/** Bytes by name, bounded; losing all of it costs time only. */
export interface Cache {
  get(key: string): Promise<CacheEntry | undefined>
  set(key: string, entry: CacheEntry): Promise<void>
  clear(): Promise<void>
  close(): Promise<void>
}

export interface CacheEntry {
  readonly bytes: Buffer
  /** The position at which the content was read. */
  readonly position: number
}
