import { join } from 'node:path'
import type { RootDatabase } from 'lmdb'
import { Fenced, type ScratchStore, type StateStore } from '../../ports/state-store.ts'
import { LmdbScratch, removeScratch } from './lmdb-scratch.ts'
import { Fence, fenceKey, MappedFile } from './mapped-file.ts'
import {
  assertReadable,
  type BrokenFile,
  writeFailure,
  writeFailureOf,
} from './open-environment.ts'
import {
  decodeWrites,
  encodeWrites,
  removeStaged,
  StagedWrites,
  sortWrites,
  stagedRuns,
  type Write,
} from './staged-writes.ts'

/** In the folder of a state store. */
export const stateFileName = 'state.lmdb'

/** LMDB's own bound for pages of 4 KiB. */
const keyBytesMax = 1978

/** Each touch maps 64 KiB or more, as entities lie anywhere in the file: see mapped-file.ts. */
const touchesPerMappingMax = 1_000

/**
 * LMDB keeps a copy of each page that a transaction writes to (4 KiB), and the page it came from
 * mapped (64 KiB). Writes beyond this are done in parts, so that neither grows with the state.
 */
const writesPerTransactionMax = 1_000

/**
 * Holds the writes of a commit that is done in parts, until the last part is done: those that were
 * staged by the name of their file.
 */
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
  return new LmdbStateStore(join(folder, stateFileName))
}

class LmdbStateStore implements StateStore {
  private readonly file: string
  private readonly mapped: MappedFile
  private lastWrite: Promise<unknown> = Promise.resolve()
  /** After a failed write LMDB is not written again: the next start reads what was committed. */
  private failure: BrokenFile | Fenced | null = null
  private closed = false
  private staged: StagedWrites | null = null
  private readonly fence: Fence

  constructor(file: string) {
    this.file = file
    this.mapped = new MappedFile(file, { compression: false, isRandom: true, touchesPerMappingMax })
    try {
      // First: who is in the midst of a commit may not go on with what is finished here.
      this.fence = Fence.raise(file, this.mapped.entries)
      assertReadable(file, this.mapped.entries)
      finish(file, this.mapped.entries)
      removeStaged(file)
      removeScratch(file)
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

  *scan(prefix: Buffer, countMax: number, from = prefix): Iterable<{ key: Buffer; value: Buffer }> {
    this.mapped.beginUse()
    try {
      let count = 0
      for (const { key, value } of this.mapped.entries.getRange({ start: from })) {
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
    const checked = checkedWrites(writes)
    const before = this.lastWrite
    const written = before.then(() => this.inParts(checked))
    this.lastWrite = written.catch(() => undefined)
    await written
  }

  async stage(writes: Iterable<Write>): Promise<void> {
    if (this.failure !== null) throw this.failure
    const checked = checkedWrites(writes)
    try {
      this.staged ??= new StagedWrites(this.file)
      this.staged.add(checked)
    } catch (error) {
      this.failure = await writeFailure(this.file, error)
      throw this.failure
    }
  }

  async discardStaged(): Promise<void> {
    const { staged } = this
    this.staged = null
    await staged?.remove()
  }

  scratch(): ScratchStore {
    return new LmdbScratch(this.file)
  }

  /** One after the other: a commit in parts and the next one must not mix. */
  private async inParts(writes: readonly Write[]): Promise<void> {
    const { staged } = this
    this.staged = null
    if (staged !== null) {
      await this.withStaged(staged, sortWrites(writes))
      return
    }
    if (writes.length <= writesPerTransactionMax) {
      await this.transaction(writes)
      return
    }
    const ordered = sortWrites(writes)
    await this.transaction([[redoKey, encodeWrites(ordered)]])
    ordered.push([redoKey, null])
    for (const part of parts(ordered, writesPerTransactionMax)) await this.transaction(part)
  }

  private async withStaged(staged: StagedWrites, last: readonly Write[]): Promise<void> {
    await staged.sync()
    await this.transaction([[redoKey, redoOf(staged, last)]])
    for (const run of stagedRuns(this.file, staged.name)) {
      for (const part of parts(run, writesPerTransactionMax)) await this.transaction(part)
    }
    const ending: readonly Write[] = [...last, [redoKey, null]]
    for (const part of parts(ending, writesPerTransactionMax)) await this.transaction(part)
    await staged.remove()
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
    await this.discardStaged()
    await this.mapped.close()
  }
}

function checkedWrites(writes: Iterable<Write>): readonly Write[] {
  const checked = [...writes]
  for (const [key] of checked) {
    if (key.length === 0 || key.length > keyBytesMax) {
      throw new Error(`a state key of ${key.length} bytes, 1 .. ${keyBytesMax} are possible`)
    }
    if (isOurs(key)) throw new Error('a state key that the store keeps for itself')
  }
  return checked
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
function finish(file: string, entries: Entries): void {
  const redo = entries.getBinary(redoKey)
  if (redo === undefined) return
  for (const run of runsOf(file, Buffer.from(redo))) {
    for (const part of parts(run, writesPerTransactionMax)) {
      entries.transactionSync(() => put(entries, part))
    }
  }
  entries.transactionSync(() => put(entries, [[redoKey, null]]))
}

/** First byte of a redo that names a file; no write begins with it, as no key is that long. */
const namesFile = 0xff

const redoOf = (staged: StagedWrites, last: readonly Write[]): Buffer => {
  const name = Buffer.from(staged.name)
  return Buffer.concat([Buffer.from([namesFile, name.length]), name, encodeWrites(last)])
}

function* runsOf(file: string, redo: Buffer): Generator<readonly Write[]> {
  if (redo[0] !== namesFile) return yield decodeWrites(redo)
  const end = 2 + redo.readUInt8(1)
  yield* stagedRuns(file, redo.toString('utf8', 2, end))
  yield decodeWrites(redo.subarray(end))
}

function* parts<T>(of: readonly T[], countMax: number): Iterable<readonly T[]> {
  for (let at = 0; at < of.length; at += countMax) yield of.slice(at, at + countMax)
}
