import { join } from 'node:path'
import type { RootDatabase } from 'lmdb'
import type { StateStore } from '../../ports/state-store.ts'
import { type BrokenFile, openEnvironment, writeFailure } from './open-environment.ts'

/** LMDB's own bound for pages of 4 KiB. */
const keyBytesMax = 1978

/**
 * A group's volume: `state.lmdb` in the folder.
 *
 * @throws BrokenFile if the file is not whole.
 */
export function lmdbStateStore({ folder }: { folder: string }): StateStore {
  return new LmdbStateStore(join(folder, 'state.lmdb'))
}

class LmdbStateStore implements StateStore {
  private readonly file: string
  private readonly entries: RootDatabase<Buffer, Buffer>
  private lastWrite: Promise<unknown> = Promise.resolve()
  /** After a failed write LMDB is not written again: only a new start tells what it holds. */
  private failure: BrokenFile | null = null
  private closed = false

  constructor(file: string) {
    this.file = file
    this.entries = openEnvironment(file, { compression: false })
  }

  get(key: Buffer): Buffer | undefined {
    return this.entries.getBinary(key)
  }

  *scan(prefix: Buffer, countMax: number): Iterable<{ key: Buffer; value: Buffer }> {
    for (const { key, value } of this.entries.getRange({ start: prefix, limit: countMax })) {
      if (!key.subarray(0, prefix.length).equals(prefix)) return
      yield { key, value }
    }
  }

  async commit(writes: Iterable<readonly [key: Buffer, value: Buffer | null]>): Promise<void> {
    if (this.failure !== null) throw this.failure
    const checked = [...writes]
    for (const [key] of checked) {
      if (key.length === 0 || key.length > keyBytesMax) {
        throw new Error(`a state key of ${key.length} bytes, 1 .. ${keyBytesMax} are possible`)
      }
    }
    const written = this.entries.transaction(() => {
      for (const [key, value] of checked) {
        if (value === null) this.entries.remove(key)
        else this.entries.put(key, value)
      }
    })
    this.lastWrite = written.catch(() => undefined)
    try {
      await written
    } catch (error) {
      this.failure = await writeFailure(this.file, error)
      throw this.failure
    }
  }

  async close(): Promise<void> {
    if (this.closed) return
    this.closed = true
    await this.lastWrite
    await this.entries.close()
  }
}
