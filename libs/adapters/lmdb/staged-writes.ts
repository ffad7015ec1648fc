import { randomUUID } from 'node:crypto'
import { closeSync, fsync, openSync, readdirSync, readSync, rmSync, writeSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'

const synced = promisify(fsync)

export type Write = readonly [key: Buffer, value: Buffer | null]

/** Length of a run, before it. */
const lengthBytes = 4

const ending = '.staged-'

/** Whether a name is of writes that are staged for a store, by the name of its file. */
export const isStaged = (storeName: string, name: string): boolean =>
  name.startsWith(`${storeName}${ending}`)

/**
 * Writes of a commit that does not fit into memory, in a file beside the store: runs in their
 * order. The store names the file once all are there; a file that it does not name is of no use.
 */
export class StagedWrites {
  readonly name: string
  readonly #path: string
  readonly #descriptor: number

  constructor(storeFile: string) {
    this.name = `${basename(storeFile)}${ending}${randomUUID()}`
    this.#path = join(dirname(storeFile), this.name)
    this.#descriptor = openSync(this.#path, 'wx')
  }

  add(writes: readonly Write[]): void {
    const bytes = encodeWrites(sortWrites(writes))
    const length = Buffer.alloc(lengthBytes)
    length.writeUInt32BE(bytes.length)
    for (const each of [length, bytes]) {
      for (let at = 0; at < each.length; ) at += writeSync(this.#descriptor, each, at)
    }
  }

  /** All of them are on the disk then. */
  async sync(): Promise<void> {
    await synced(this.#descriptor)
    // A file whose name is lost with the power would be missing for the redo that names it.
    const folder = openSync(dirname(this.#path), 'r')
    await synced(folder).finally(() => closeSync(folder))
  }

  async remove(): Promise<void> {
    closeSync(this.#descriptor)
    // In another thread: the file system takes tenths of a second to free a great file.
    await rm(this.#path, { force: true })
  }
}

/** The runs of a file that was written to its end. */
export function* stagedRuns(storeFile: string, name: string): Generator<readonly Write[]> {
  const descriptor = openSync(join(dirname(storeFile), name), 'r')
  try {
    for (;;) {
      const length = read(descriptor, lengthBytes)
      if (length === null) return
      const bytes = read(descriptor, length.readUInt32BE())
      if (bytes === null) throw new RangeError('staged writes end too early')
      yield decodeWrites(bytes)
    }
  } finally {
    closeSync(descriptor)
  }
}

/** Null at the end of the file. @throws RangeError if the end is nearer */
function read(descriptor: number, count: number): Buffer | null {
  const bytes = Buffer.allocUnsafe(count)
  let end = 0
  while (end < count) {
    const got = readSync(descriptor, bytes, end, count - end, null)
    if (got === 0 && end === 0) return null
    if (got === 0) throw new RangeError('staged writes end too early')
    end += got
  }
  return bytes
}

/** Of earlier processes: no commit can name one of them any more. */
export function removeStaged(storeFile: string): void {
  const folder = dirname(storeFile)
  for (const name of readdirSync(folder)) {
    if (isStaged(basename(storeFile), name)) rmSync(join(folder, name))
  }
}

/** Written as the length of a value that removes its key. */
const absent = 0xffff_ffff

/** Writes as one value. Each: length of the key (2 bytes), of the value (4), key, value. */
export function encodeWrites(writes: readonly Write[]): Buffer {
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
export function decodeWrites(bytes: Buffer): Write[] {
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
export function sortWrites(writes: readonly Write[]): Write[] {
  const sorted = [...writes].sort(([one], [other]) => Buffer.compare(one, other))
  return sorted.filter(([key], at) => sorted[at + 1]?.[0].equals(key) !== true)
}
