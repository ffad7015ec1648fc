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

/**
 * Another process opened the file after this one, which therefore may not write to it any more. The
 * message names the file and the process. Not retriable: the process that receives it must exit.
 */
export class Fenced extends Error {
  override readonly name = 'Fenced'
}

/** Keys that one commit removes. */
const removedPerCommitMax = 50_000

/** Removes all keys that start with `prefix`, ascending, in several commits. */
export async function removeAll(state: StateStore, prefix: Buffer): Promise<void> {
  for (;;) {
    const keys = [...state.scan(prefix, removedPerCommitMax)].map(({ key }) => key)
    if (keys.length === 0) return
    await state.commit(keys.map((key) => [key, null] as const))
  }
}
