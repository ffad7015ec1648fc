import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { RootDatabase } from 'lmdb'
import { z } from 'zod'
import { Fenced } from '../../ports/state-store.ts'
import { runbooks } from '../../signals/runbooks.ts'
import {
  assertReadable,
  type EnvironmentForm,
  mapEnvironment,
  openEnvironment,
} from './open-environment.ts'

interface MappedFileOptions extends EnvironmentForm {
  /** Reads and writes after which what they mapped is given back. */
  readonly touchesPerMappingMax: number
}

/**
 * An LMDB file whose mapping is bounded. LMDB maps the file and never lets go: whatever was read
 * once stays resident (64 KiB a read, up to 1 MiB where the system keeps large folios, as it maps
 * the neighbours too) until the process is as large as its files. Only closing the file gives that
 * back, a millisecond or two, so it is closed and opened again after a number of reads and writes.
 *
 * Nothing that was read may point into the mapping: copy what LMDB has not copied itself.
 */
export class MappedFile {
  private readonly file: string
  private readonly form: MappedFileOptions
  private opened: RootDatabase<Buffer, Buffer> | null
  private touches = 0
  /** Commits in progress, and scans in the middle of the mapping. */
  private uses = 0
  private isClosed = false
  /** Whether the present mapping was written to: else it closes at once. */
  private isWritten = true
  private isClosing = false
  private closing: Promise<unknown> = Promise.resolve()

  /** @throws BrokenFile if the file is not whole. */
  constructor(file: string, form: MappedFileOptions) {
    this.file = file
    this.form = form
    this.opened = openEnvironment(file, form)
  }

  /**
   * Not to be kept: the next one may be another.
   * @throws once the file is closed, and Fenced where another container has it
   */
  get entries(): RootDatabase<Buffer, Buffer> {
    if (this.isClosed) throw new Error(`${this.file} is closed`)
    if (this.opened !== null) return this.opened
    this.opened = mapEnvironment(this.file, this.form)
    this.isWritten = false
    // What was written to closes some turns later. Who reads meanwhile shares the old mapping,
    // which would then stay: it goes with the first read after.
    if (this.isClosing) this.touches = this.form.touchesPerMappingMax
    assertReadable(this.file, this.opened)
    return this.opened
  }

  /** To be called before each read. */
  beforeRead(): void {
    this.touches += 1
    this.unmap()
  }

  /** Between this and `endUse` the mapping stays. */
  beginUse(): void {
    this.uses += 1
  }

  endUse(): void {
    this.uses -= 1
  }

  beginWrite(): void {
    // Reads may have shared the mapping that the write before this one was closing.
    this.unmap()
    this.beginUse()
    this.isWritten = true
  }

  /** The write is done: with its mapping go the pages that LMDB keeps for the next one. */
  async endWrite(touches: number): Promise<void> {
    this.touches += touches
    this.endUse()
    this.unmap()
    await this.closing
  }

  async close(): Promise<void> {
    this.isClosed = true
    const { opened } = this
    this.opened = null
    await Promise.all([this.closing, opened?.close()])
  }

  private unmap(): void {
    // One at a time: the turns that an old mapping needs to close may be long in coming.
    if (this.opened === null || this.uses > 0 || this.isClosing) return
    if (this.touches < this.form.touchesPerMappingMax) return
    this.touches = 0
    // Whoever opens it next shares a mapping only where this one closes some turns later.
    this.isClosing = this.isWritten
    this.closing = this.opened.close().then(() => {
      this.isClosing = false
    })
    this.opened = null
  }
}

type Entries = RootDatabase<Buffer, Buffer>

const tokenForm = z.object({ id: z.string(), host: z.string(), pid: z.int(), at: z.string() })

/** Sorts before all other keys of the file. */
export const fenceKey = Buffer.from('\0fence')

/**
 * Fencing token of an LMDB file: the process that opened it last may write it, no other. A lock
 * file does not work across containers, and a process that was paused or cut off does not know that
 * it was replaced. So the token is stored in the file and compared inside each transaction.
 */
export class Fence {
  readonly #file: string
  readonly #token: Buffer

  private constructor(file: string, token: Buffer) {
    this.#file = file
    this.#token = token
  }

  /**
   * From now on no process that opened the file before can write it.
   * @param check in the same transaction, which needs no reader's lock; if it throws, no fence is
   * set
   */
  static raise(file: string, entries: Entries, check: () => void = () => {}): Fence {
    const holder = { id: randomUUID(), host: hostname(), pid: process.pid, at: now() }
    const token = Buffer.from(JSON.stringify(holder))
    // Nothing is returned: LMDB would wait for a promise and keep the transaction open until then.
    entries.transactionSync(() => {
      check()
      void entries.put(fenceKey, token)
    })
    return new Fence(file, token)
  }

  /** To be called inside the transaction, before its first write. @throws Fenced */
  assertHeld(entries: Entries): void {
    const standing = entries.getBinary(fenceKey)
    if (standing?.equals(this.#token)) return
    throw new Fenced(
      `${this.#file} was taken over by ${holderIn(standing)}, and this process may not write it ` +
        `any more; see ${runbooks.volumeTakenOver}`,
    )
  }
}

/** For people only: the token does not depend on it. */
const now = (): string => new Date().toISOString()

function holderIn(token: Buffer | undefined): string {
  try {
    const { host, pid, at } = tokenForm.parse(JSON.parse(String(token)))
    return `process ${pid} on host ${host} at ${at}`
  } catch {
    return 'another process'
  }
}
