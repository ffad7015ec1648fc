/**
 * Key-value store on a group's volume: synchronous reads, transactional writes. Owned by the
 * process that opened it last; from then on every commit of the others throws Fenced.
 */
export interface StateStore {
  get(key: Buffer): Buffer | undefined
  /** Keys that start with `prefix`, ascending; `end` bounds how many. */
  scan(prefix: Buffer, countMax: number): Iterable<{ key: Buffer; value: Buffer }>
  /** All or nothing, durable when the promise resolves. A null value removes the key. */
  commit(writes: Iterable<readonly [key: Buffer, value: Buffer | null]>): Promise<void>
  /**
   * Asserts that no other process has written since the store was opened. To be called before
   * publishing anything derived from reads.
   *
   * @throws Fenced if another process has opened the volume since
   */
  assertHeld(): void
  close(): Promise<void>
}
