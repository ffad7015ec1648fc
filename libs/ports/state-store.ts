/**
 * Key-value store on a group's volume: synchronous reads, transactional writes. Owned by the
 * process that opened it last; from then on every commit of the others throws Fenced.
 */
export interface StateStore {
  get(key: Buffer): Buffer | undefined
  /** Keys that start with `prefix`, ascending, at most so many; not those before `from`. */
  scan(prefix: Buffer, countMax: number, from?: Buffer): Iterable<{ key: Buffer; value: Buffer }>
  /**
   * Writes that the next commit makes with its own, before them and in their order, all or nothing:
   * for a commit that does not fit into memory. Until then nobody sees them. The next start
   * discards what no commit followed. Not to be called during a commit.
   */
  stage(writes: Iterable<readonly [key: Buffer, value: Buffer | null]>): Promise<void>
  /** Forgets what was staged since the last commit, as a start does. */
  discardStaged(): Promise<void>
  /** A place for values that need not outlive this process; empty. One at a time. */
  scratch(): ScratchStore
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

/** Values on the disk that are of no use after a restart. */
export interface ScratchStore {
  get(key: Buffer): Buffer | undefined
  put(entries: Iterable<readonly [key: Buffer, value: Buffer]>): Promise<void>
  /** Keys that start with `prefix` and come after `key` (null: all of them), ascending. */
  after(
    prefix: Buffer,
    key: Buffer | null,
    countMax: number,
  ): readonly (readonly [key: Buffer, value: Buffer])[]
  /** Removes it. */
  close(): Promise<void>
}

/**
 * Another process opened the file after this one, which therefore may not write to it any more. The
 * message names the file and the process. Not retriable: the process that receives it must exit.
 */
export class Fenced extends Error {
  override readonly name = 'Fenced'
}

/** Keys that one commit removes: they are read and sorted at once, some milliseconds. */
const removedPerCommitMax = 5_000

/** Removes all keys that start with `prefix`, ascending, in several commits. */
export async function removeAll(state: StateStore, prefix: Buffer): Promise<void> {
  for (;;) {
    const keys = [...state.scan(prefix, removedPerCommitMax)].map(({ key }) => key)
    if (keys.length === 0) return
    await state.commit(keys.map((key) => [key, null] as const))
  }
}
