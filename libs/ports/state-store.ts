/**
 * A group's own volume: keyed bytes, read at once, written in one transaction. It belongs to the
 * process that opened it last; from then on every commit of the others throws Fenced.
 */
export interface StateStore {
  get(key: Buffer): Buffer | undefined
  /** Keys that start with `prefix`, ascending; `end` bounds how many. */
  scan(prefix: Buffer, countMax: number): Iterable<{ key: Buffer; value: Buffer }>
  /** All or nothing, durable when the promise resolves. A null value removes the key. */
  commit(writes: Iterable<readonly [key: Buffer, value: Buffer | null]>): Promise<void>
  /**
   * All that was read until now is ours: nobody else can have written it. To be called before
   * anything is published that was derived from reads.
   *
   * @throws Fenced if another process has opened the volume since
   */
  assertHeld(): void
  close(): Promise<void>
}
