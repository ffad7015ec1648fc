import { join } from 'node:path'
import type { RootDatabase } from 'lmdb'
import { Fenced, type StateStore } from '../../ports/state-store.ts'
import { Fence, fenceKey, MappedFile } from './mapped-file.ts'
import {
  assertReadable,
  type BrokenFile,
  writeFailure,
  writeFailureOf,
} from './open-environment.ts'

/** LMDB's own bound for pages of 4 KiB. */
const keyBytesMax = 1978

/** Each touch maps 64 KiB or more, as entities lie anywhere in the file: see mapped-file.ts. */
const touchesPerMappingMax = 1_000

/**
 * LMDB keeps a copy of each page that a transaction writes to (4 KiB), and the page it came from
 * mapped (64 KiB). Writes beyond this are done in parts, so that neither grows with the state.
 */
const writesPerTransactionMax = 1_000

/** Holds the writes of a commit that is done in parts, until the last part is done. */
const redoKey = Buffer.from('\0redo')

const isOurs = (key: Buffer): boolean => key.equals(redoKey) || key.equals(fenceKey)

/**
 * A group's volume: `state.lmdb` in the folder. While a large commit is in progress, reads see some
 * of its keys written and others not; a process that opens the volume after a kill sees all.
 * Opening it fences all processes that opened it before: their next commit throws Fenced.
 *
 * @throws BrokenFile if the file is not complete, or an unfinished commit cannot be completed.
 * @throws Fenced if another container has it: a process there that commits ends, but not at once.
 */
export function lmdbStateStore({ folder }: { folder: string }): StateStore {
  return new LmdbStateStore(join(folder, 'state.lmdb'))
}

class LmdbStateStore implements StateStore {
  private readonly file: string
  private readonly mapped: MappedFile
  private lastWrite: Promise<unknown> = Promise.resolve()
  /** After a failed write LMDB is not written again: the next start reads what was committed. */
  private failure: BrokenFile | Fenced | null = null
  private closed = false
  private readonly fence: Fence

  constructor(file: string) {
    this.file = file
    this.mapped = new MappedFile(file, { compression: false, touchesPerMappingMax })
    try {
      // First: who is in the midst of a commit may not go on with what is finished here.
      this.fence = Fence.raise(file, this.mapped.entries)
      assertReadable(file, this.mapped.entries)
      finish(this.mapped.entries)
    } catch (error) {
      void this.mapped.close()
      if (error instanceof Fenced) throw error
      throw writeFailureOf(file, error instanceof Error ? error.message : String(error))
    }
  }

  get(key: Buffer): Buffer | undefined {
    this.mapped.beforeRead()
    return this.mapped.entries.getBinary(key)
  }

  *scan(prefix: Buffer, countMax: number): Iterable<{ key: Buffer; value: Buffer }> {
    this.mapped.beginUse()
    try {
      let count = 0
      for (const { key, value } of this.mapped.entries.getRange({ start: prefix })) {
        if (!key.subarray(0, prefix.length).equals(prefix) || count === countMax) return
        if (isOurs(key)) continue
        count += 1
        // LMDB gives great values as views into its mapping.
        yield { key, value: Buffer.from(value) }
      }
    } finally {
      this.mapped.endUse()
    }
  }

  assertHeld(): void {
    if (this.failure !== null) throw this.failure
    // A transaction sees what was committed before it: this one is no older than any read before.
    this.fence.assertHeld(this.mapped.entries)
  }

  async commit(writes: Iterable<Write>): Promise<void> {
    if (this.failure !== null) throw this.failure
    const checked = [...writes]
    for (const [key] of checked) {
      if (key.length === 0 || key.length > keyBytesMax) {
        throw new Error(`a state key of ${key.length} bytes, 1 .. ${keyBytesMax} are possible`)
      }
      if (isOurs(key)) throw new Error('a state key that the store keeps for itself')
    }
    const before = this.lastWrite
    const written = before.then(() => this.inParts(checked))
    this.lastWrite = written.catch(() => undefined)
    await written
  }

  /** One after the other: a commit in parts and the next one must not mix. */
  private async inParts(writes: readonly Write[]): Promise<void> {
    if (writes.length <= writesPerTransactionMax) {
      await this.transaction(writes)
      return
    }
    const ordered = sortWrites(writes)
    await this.transaction([[redoKey, encodeWrites(ordered)]])
    ordered.push([redoKey, null])
    for (const part of parts(ordered, writesPerTransactionMax)) await this.transaction(part)
  }

  private async transaction(writes: readonly Write[]): Promise<void> {
    if (this.failure !== null) throw this.failure
    this.mapped.beginWrite()
    const { entries } = this.mapped
    try {
      await entries.transaction(() => {
        this.fence.assertHeld(entries)
        put(entries, writes)
      })
    } catch (error) {
      this.failure = error instanceof Fenced ? error : await writeFailure(this.file, error)
      throw this.failure
    } finally {
      await this.mapped.endWrite(writes.length)
    }
  }

  async close(): Promise<void> {
    if (this.closed) return
    this.closed = true
    await this.lastWrite
    await this.mapped.close()
  }
}

type Entries = RootDatabase<Buffer, Buffer>

/** Inside a transaction, which fails if one of them does. */
function put(entries: Entries, writes: readonly Write[]): void {
  for (const [key, value] of writes) {
    if (value === null) void entries.remove(key)
    else void entries.put(key, value)
  }
}

/** What a life before this one was killed in the midst of, once more from its begin. */
function finish(entries: Entries): void {
  const redo = entries.getBinary(redoKey)
  if (redo === undefined) return
  for (const part of parts(decodeWrites(Buffer.from(redo)), writesPerTransactionMax)) {
    entries.transactionSync(() => put(entries, part))
  }
  entries.transactionSync(() => put(entries, [[redoKey, null]]))
}

type Write = readonly [key: Buffer, value: Buffer | null]

/** Written as the length of a value that removes its key. */
const absent = 0xffff_ffff

/** Writes as one value. Each: length of the key (2 bytes), of the value (4), key, value. */
function encodeWrites(writes: readonly Write[]): Buffer {
  const chunkWrites: Buffer[] = []
  for (const [key, value] of writes) {
    const head = Buffer.allocUnsafe(6)
    head.writeUInt16BE(key.length, 0)
    head.writeUInt32BE(value === null ? absent : value.length, 2)
    chunkWrites.push(head, key)
    if (value !== null) chunkWrites.push(value)
  }
  return Buffer.concat(chunkWrites)
}

/** @throws RangeError if the bytes end too early. */
function decodeWrites(bytes: Buffer): Write[] {
  const writes: Write[] = []
  for (let at = 0; at < bytes.length; ) {
    const keyAt = at + 6
    const valueAt = keyAt + bytes.readUInt16BE(at)
    const length = bytes.readUInt32BE(at + 2)
    at = valueAt + (length === absent ? 0 : length)
    if (at > bytes.length) throw new RangeError('a write ends too early')
    const value = length === absent ? null : bytes.subarray(valueAt, at)
    writes.push([bytes.subarray(keyAt, valueAt), value])
  }
  return writes
}

/** Ascending by key, so that a part touches few pages; of each key the last write. */
function sortWrites(writes: readonly Write[]): Write[] {
  const sorted = [...writes].sort(([one], [other]) => Buffer.compare(one, other))
  return sorted.filter(([key], at) => sorted[at + 1]?.[0].equals(key) !== true)
}

function* parts<T>(of: readonly T[], countMax: number): Iterable<readonly T[]> {
  for (let at = 0; at < of.length; at += countMax) yield of.slice(at, at + countMax)
}
