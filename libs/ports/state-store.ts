/** A group's own volume: keyed bytes, read at once, written in one transaction. */
export interface StateStore {
  get(key: Buffer): Buffer | undefined
  /** Keys that start with `prefix`, ascending; `end` bounds how many. */
  scan(prefix: Buffer, countMax: number): Iterable<{ key: Buffer; value: Buffer }>
  /** All or nothing, durable when the promise resolves. A null value removes the key. */
  commit(writes: Iterable<readonly [key: Buffer, value: Buffer | null]>): Promise<void>
  close(): Promise<void>
}
