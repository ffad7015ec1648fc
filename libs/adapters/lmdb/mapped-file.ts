import type { RootDatabase } from 'lmdb'
import { mapEnvironment, openEnvironment } from './open-environment.ts'

interface Form {
  readonly compression: boolean
  /** Reads after which what they mapped is given back. */
  readonly readsPerMappingMax: number
}

/**
 * An LMDB file whose mapping is bounded. LMDB maps the file and never lets go: whatever was read
 * once stays resident (64 KiB a read, as the system maps the neighbours too) until the process
 * is as large as its files. Only closing the file gives that back, a millisecond or two, so it is
 * closed and opened again after a number of reads.
 *
 * Nothing that was read may point into the mapping: copy what LMDB has not copied itself.
 */
export class MappedFile {
  private readonly file: string
  private readonly form: Form
  private opened: RootDatabase<Buffer, Buffer> | null
  private reads = 0
  /** Commits under way, and walks that stand in the middle of the mapping. */
  private uses = 0
  /** Since it was opened. */
  private isWritten = false
  private isClosed = false
  private closing: Promise<unknown> = Promise.resolve()

  /** @throws BrokenFile if the file is not whole. */
  constructor(file: string, form: Form) {
    this.file = file
    this.form = form
    this.opened = openEnvironment(file, form)
  }

  /** Not to be kept: the next one may be another. @throws once the file is closed. */
  get entries(): RootDatabase<Buffer, Buffer> {
    if (this.isClosed) throw new Error(`${this.file} is closed`)
    // Whoever reads while an old mapping is closing shares it; then it goes the next time.
    this.opened ??= mapEnvironment(this.file, this.form)
    return this.opened
  }

  /** To be called before each read. */
  beforeRead(): void {
    this.reads += 1
    // After a write it would be closed some turns later only: LMDB looks after its writer.
    if (!this.isWritten) this.unmap()
  }

  /** Between this and `endUse` the mapping stays. */
  beginUse(): void {
    this.uses += 1
  }

  endUse(): void {
    this.uses -= 1
  }

  beginWrite(): void {
    this.beginUse()
    this.isWritten = true
  }

  /** The write is done: with its mapping go the pages that LMDB keeps for the next one. */
  async endWrite(): Promise<void> {
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
    if (this.opened === null || this.uses > 0) return
    if (this.reads < this.form.readsPerMappingMax) return
    this.reads = 0
    this.isWritten = false
    this.closing = this.opened.close()
    this.opened = null
  }
}
