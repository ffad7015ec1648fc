import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statfsSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { open, type RootDatabase, type RootDatabaseOptions } from 'lmdb'
import { Fenced } from '../../ports/state-store.ts'
import { runbooks } from '../../signals/runbooks.ts'

/** Time for a walk over all pages of a file that looks too short. */
const walkTimeoutMs = 120_000

/** A local file is corrupt or cannot be written. The message is for an operator. */
export class BrokenFile extends Error {
  override readonly name = 'BrokenFile'
}

const corrupt = (file: string, why: string, cause?: unknown): BrokenFile =>
  new BrokenFile(`${file} is corrupt or half-written: ${why}; see ${runbooks.corruptFolder}`, {
    cause,
  })

export interface EnvironmentForm {
  readonly compression: boolean
  /** Nobody needs it after a restart: commits do not wait for the disk. */
  readonly isDisposable?: boolean
  /** Entries are read anywhere in the file: what lies behind one would be read for nothing. */
  readonly isRandom?: boolean
}

/**
 * Opens or creates an LMDB file. A commit's promise resolves after the disk has it: the option that
 * lets commits overtake their sync is off, since the outbox and the log rely on that order.
 *
 * @throws BrokenFile if the file is not complete.
 */
export function openEnvironment(file: string, form: EnvironmentForm): RootDatabase<Buffer, Buffer> {
  mkdirSync(dirname(file), { recursive: true })
  try {
    if (!existsSync(file)) createFile(file)
  } catch (error) {
    throw writeFailureOf(file, error instanceof Error ? error.message : String(error))
  }
  checkFile(file)
  try {
    return mapEnvironment(file, form)
  } catch (error) {
    throw corrupt(file, error instanceof Error ? error.message : String(error), error)
  }
}

/**
 * LMDB creates an empty file and fills it then: a kill in between would leave what looks like a
 * file that has lost all. So it fills a draft, which gets the file's name once it is on the disk.
 */
function createFile(file: string): void {
  // Another container may be doing the same.
  const draft = `${file}.${randomUUID()}`
  try {
    // Nothing is pending, so it is closed at once.
    void mapEnvironment(draft, { compression: false }).close()
    syncToDisk(draft)
    // Unlike a renamed draft, a link never takes the place of a file that another one created.
    linkSync(draft, file)
    syncToDisk(dirname(file))
  } catch (error) {
    if (!existsSync(file)) throw error
  } finally {
    removeDrafts(file)
  }
}

/** A file, or the names in a folder. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** A UUID: anything else beside the file, such as a copy, is somebody else's. */
const draftEnding = /\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-lock)?$/

/** With those of killed processes. */
function removeDrafts(file: string): void {
  const folder = dirname(file)
  for (const name of readdirSync(folder)) {
    const isDraft = name.startsWith(`${basename(file)}.`) && draftEnding.test(name)
    if (isDraft) rmSync(join(folder, name), { force: true })
  }
}

/** What the library takes, though its types do not say so. */
interface ReadAhead {
  readonly noReadAhead: boolean
}

/** Opens a file that this process has had open: it was looked at then. */
export function mapEnvironment(
  file: string,
  { compression, isDisposable = false, isRandom = false }: EnvironmentForm,
): RootDatabase<Buffer, Buffer> {
  const options: RootDatabaseOptions & ReadAhead = {
    encoding: 'binary',
    keyEncoding: 'binary',
    noSubdir: true,
    overlappingSync: false,
    noSync: isDisposable,
    noReadAhead: isRandom,
    compression,
  }
  return open<Buffer, Buffer>(file, options)
}

/** Any key: whether it is there does not matter. */
const anyKey = Buffer.from('\0')

/**
 * LMDB keeps a lock for each process that reads, by its number, and waits for it for 10 s. In two
 * containers both processes have number 1, so only one of them can read; lmdb then fails with a
 * TypeError. @throws Fenced instead
 */
export function assertReadable(file: string, entries: RootDatabase<Buffer, Buffer>): void {
  try {
    entries.getBinary(anyKey)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new Fenced(
      `${file} is open in another container, whose process has number ${process.pid}, too, and ` +
        `cannot be read here until that one ends; see ${runbooks.volumeTakenOver}`,
    )
  }
}

/** A disk with less than this left is what a failed write is blamed on. */
const fullDiskBytes = 16 * 1024 * 1024

/** LMDB reports the cause of a failed commit a moment after the failure. */
const causeTimeoutMs = 100

/** Names the full disk, which LMDB reports as a short write like any other. */
export async function writeFailure(file: string, error: unknown): Promise<BrokenFile> {
  return writeFailureOf(file, await causeOf(error))
}

/** The same, where the cause is known. */
export function writeFailureOf(file: string, cause: string): BrokenFile {
  const { bavail, bsize } = statfsSync(dirname(file))
  if (bavail * bsize < fullDiskBytes || /no space|quota/i.test(cause)) {
    const sentence = `the disk is full: ${file} cannot be written (${cause})`
    return new BrokenFile(`${sentence}; see ${runbooks.diskFull}`)
  }
  return new BrokenFile(`${file} cannot be written: ${cause}`)
}

async function causeOf(error: unknown): Promise<string> {
  if (!(error instanceof Error)) return String(error)
  if (!('commitError' in error)) return error.message
  const unknown = pause(causeTimeoutMs, error, { ref: false })
  const cause = await Promise.race([Promise.resolve(error.commitError).catch((e) => e), unknown])
  return cause instanceof Error ? cause.message : String(cause)
}

// Fields of LMDB's meta page that show whether a file is complete: offsets in bytes, little-endian.
const metaBytes = 0xa0
const magicAt = 0x18
const pageBytesAt = 0x30
const lastPageAt = 0x90
const transactionAt = 0x98
const magic = 0xbeefc0de

interface Meta {
  readonly pageBytes: number
  readonly lastPage: bigint
  readonly transaction: bigint
}

/**
 * LMDB maps the file and trusts it: a read beyond the end of a truncated file kills the process
 * (SIGBUS), so the length is compared with the newest meta page before anything is mapped.
 */
function checkFile(file: string): void {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = fstatSync(descriptor).size
    if (bytes === 0) throw corrupt(file, 'it is empty')
    const first = metaAt(descriptor, 0)
    const second = first === null ? null : metaAt(descriptor, first.pageBytes)
    if (first === null || second === null) throw corrupt(file, 'a meta page is missing')
    const newest = first.transaction > second.transaction ? first : second
    const wanted = (newest.lastPage + 1n) * BigInt(newest.pageBytes)
    // Pages that a transaction allocated and freed at the end of the file are never written, so a
    // short file may be complete: only a walk shows it.
    if (BigInt(bytes) < wanted && !canBeWalked(file)) {
      throw corrupt(file, `${bytes} bytes where ${wanted} belong`)
    }
  } finally {
    closeSync(descriptor)
  }
}

function metaAt(descriptor: number, offset: number): Meta | null {
  const page = Buffer.alloc(metaBytes)
  if (readSync(descriptor, page, 0, metaBytes, offset) < metaBytes) return null
  const pageBytes = page.readUInt32LE(pageBytesAt)
  if (page.readUInt32LE(magicAt) !== magic || pageBytes < 512 || pageBytes > 65_536) return null
  return {
    pageBytes,
    lastPage: page.readBigUInt64LE(lastPageAt),
    transaction: page.readBigUInt64LE(transactionAt),
  }
}

/** Reads every entry in a child, which may die of it. */
function canBeWalked(file: string): boolean {
  const lmdb = createRequire(import.meta.url).resolve('lmdb')
  const walk = `
    const form = { encoding: 'binary', keyEncoding: 'binary', noSubdir: true, readOnly: true }
    let bytes = 0
    for (const { value } of require(process.argv[1]).open(process.argv[2], form).getRange({})) {
      for (const byte of value) bytes += byte
    }`
  const walked = spawnSync(process.execPath, ['-e', walk, lmdb, file], {
    timeout: walkTimeoutMs,
    stdio: 'ignore',
  })
  return walked.status === 0
}
