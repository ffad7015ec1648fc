import { join } from 'node:path'
import type { StateStore } from '../../ports/state-store.ts'
import { MappedFile } from './mapped-file.ts'
import { type BrokenFile, writeFailure } from './open-environment.ts'

/** LMDB's own bound for pages of 4 KiB. */
const keyBytesMax = 1978

/** Entities lie anywhere in the file: each read maps 64 KiB more, so that this is 64 MiB. */
const readsPerMappingMax = 1_000

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
  private readonly mapped: MappedFile
  private lastWrite: Promise<unknown> = Promise.resolve()
  /** After a failed write LMDB is not written again: only a new start tells what it holds. */
  private failure: BrokenFile | null = null
  private closed = false

  constructor(file: string) {
    this.file = file
    this.mapped = new MappedFile(file, { compression: false, readsPerMappingMax })
  }

  get(key: Buffer): Buffer | undefined {
    this.mapped.beforeRead()
    return this.mapped.entries.getBinary(key)
  }

  *scan(prefix: Buffer, countMax: number): Iterable<{ key: Buffer; value: Buffer }> {
    this.mapped.beginUse()
    try {
      const range = { start: prefix, limit: countMax }
      for (const { key, value } of this.mapped.entries.getRange(range)) {
        if (!key.subarray(0, prefix.length).equals(prefix)) return
        // LMDB gives great values as views into its mapping.
        yield { key, value: Buffer.from(value) }
      }
    } finally {
      this.mapped.endUse()
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
    this.mapped.beginWrite()
    const { entries } = this.mapped
    const written = entries.transaction(() => {
      for (const [key, value] of checked) {
        if (value === null) entries.remove(key)
        else entries.put(key, value)
      }
    })
    this.lastWrite = written.catch(() => undefined)
    try {
      await written
    } catch (error) {
      this.failure = await writeFailure(this.file, error)
      throw this.failure
    } finally {
      await this.mapped.endWrite()
    }
  }

  async close(): Promise<void> {
    if (this.closed) return
    this.closed = true
    await this.lastWrite
    await this.mapped.close()
  }
}
