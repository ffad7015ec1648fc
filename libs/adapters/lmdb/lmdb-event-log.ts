import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import {
  type EventLog,
  type LogMessage,
  OffsetLost,
  type ReadLimit,
  type StoredMessage,
} from '../../ports/event-log.ts'
import { Fenced } from '../../ports/state-store.ts'
import { runbooks } from '../../signals/runbooks.ts'
import { Fence, MappedFile } from './mapped-file.ts'
import { assertReadable, BrokenFile, writeFailure, writeFailureOf } from './open-environment.ts'

/** How often a waiting reader looks for what another process appended. */
const otherProcessPollMs = 250

const keyBytesMax = 1024

/** A read maps what it gives, compressed: some 16 MiB in all when projectors catch up. */
const touchesPerMappingMax = 64

/**
 * Format of the file and its messages. Raise it when an older program could not read, or would
 * misread, what this one appends.
 */
const logFormat = 2
/** Sorts before every topic. */
const formatKey = Buffer.from('\0format')

/** Messages deleted in one transaction: a lowered bound is reached in several steps. */
const trimmedPerAppendMax = 1_000

interface LmdbEventLogOptions {
  readonly folder: string
  /** By topic, how many of its newest messages are kept; the rest are kept for ever. */
  readonly keptMessagesMax?: ReadonlyMap<string, number>
}

/**
 * The event log in one LMDB file, `log.lmdb` in the folder. Several processes may read it, and the
 * one that opened it last appends: the others receive Fenced.
 * Key: topic, a zero byte, the offset (8 bytes, big-endian). Value: checksum, time, key, message.
 *
 * @throws BrokenFile if the file is not whole, or of a newer program.
 */
export function lmdbEventLog({ folder, keptMessagesMax }: LmdbEventLogOptions): EventLog {
  return new LmdbEventLog(join(folder, 'log.lmdb'), keptMessagesMax ?? new Map())
}

class LmdbEventLog implements EventLog {
  private readonly file: string
  private readonly mapped: MappedFile
  private readonly waiting = new Set<() => void>()
  private lastWrite: Promise<unknown> = Promise.resolve()
  /** After a failed write LMDB is not written again: the next start reads what was committed. */
  private failure: BrokenFile | Fenced | null = null
  private readonly fence: Fence
  private closed = false
  private readonly keptMessagesMax: ReadonlyMap<string, number>

  constructor(file: string, keptMessagesMax: ReadonlyMap<string, number>) {
    this.file = file
    this.keptMessagesMax = keptMessagesMax
    this.mapped = new MappedFile(file, { compression: true, touchesPerMappingMax })
    try {
      // First: who has the file in another container ends with its next append.
      this.fence = this.raised()
      assertReadable(file, this.mapped.entries)
    } catch (error) {
      void this.mapped.close()
      throw error
    }
  }

  async append(topic: string, messages: readonly LogMessage[]): Promise<readonly number[]> {
    if (this.failure !== null) throw this.failure
    const time = Date.now()
    const values = messages.map((message) => frame(message, time))
    this.mapped.beginWrite()
    const { entries } = this.mapped
    // The end is read inside the transaction: another process may have appended meanwhile.
    // What is put or removed in it fails as the transaction does.
    const written = entries.transaction(() => {
      this.fence.assertHeld(entries)
      const first = this.endOf(topic)
      if (this.format() < logFormat) void entries.put(formatKey, Buffer.from(`${logFormat}`))
      for (const [at, value] of values.entries()) void entries.put(keyOf(topic, first + at), value)
      this.trim(topic, first + values.length)
      return first
    })
    this.lastWrite = written.catch(() => undefined)
    try {
      const first = await written
      for (const wake of this.waiting) wake()
      return values.map((_, at) => first + at)
    } catch (error) {
      this.failure = error instanceof Fenced ? error : await writeFailure(this.file, error)
      throw this.failure
    } finally {
      await this.mapped.endWrite(1)
    }
  }

  async read(topic: string, offset: number, limit: ReadLimit): Promise<readonly StoredMessage[]> {
    const messages: StoredMessage[] = []
    let bytes = 0
    const range = { start: keyOf(topic, offset), end: endKeyOf(topic), limit: limit.messagesMax }
    this.mapped.beforeRead()
    for (const entry of this.mapped.entries.getRange(range)) {
      // A great value that was not compressed is a view into the mapping.
      const message = unframe(Buffer.from(entry.value))
      const at = offsetOf(entry.key)
      if (message === null) {
        throw new BrokenFile(
          `${this.file} is corrupt: message ${at} of topic ${topic} fails its checksum; ` +
            `see ${runbooks.corruptFolder}`,
        )
      }
      messages.push({ offset: at, ...message })
      bytes += message.value.length
      if (bytes >= limit.bytesMax) break
    }
    if (messages[0]?.offset !== offset) this.assertHeld(topic, offset)
    return messages
  }

  async begin(topic: string): Promise<number> {
    return this.beginOf(topic)
  }

  async end(topic: string): Promise<number> {
    return this.endOf(topic)
  }

  async waitBeyond(topic: string, offset: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.closed && this.endOf(topic) === offset) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearInterval(poll)
          signal.removeEventListener('abort', wake)
          this.waiting.delete(wake)
          resolve()
        }
        const poll = setInterval(() => {
          this.mapped.entries.resetReadTxn()
          if (this.closed || this.endOf(topic) !== offset) wake()
        }, otherProcessPollMs)
        signal.addEventListener('abort', wake, { once: true })
        this.waiting.add(wake)
      })
    }
  }

  async close(): Promise<void> {
    if (this.closed) return
    this.closed = true
    for (const wake of this.waiting) wake()
    await this.lastWrite
    await this.mapped.close()
  }

  /** @throws BrokenFile */
  private refuseNewer(): void {
    const format = this.format()
    if (format <= logFormat) return
    throw new BrokenFile(
      `${this.file} was written by a newer Foldscan: its format is ${format}, this one reads up ` +
        `to ${logFormat}; start the newer one, or another data folder`,
    )
  }

  /** @throws BrokenFile */
  private raised(): Fence {
    try {
      return Fence.raise(this.file, this.mapped.entries, () => this.refuseNewer())
    } catch (error) {
      if (error instanceof BrokenFile) throw error
      throw writeFailureOf(this.file, error instanceof Error ? error.message : String(error))
    }
  }

  /** 0 for files of the first release, which have none. */
  private format(): number {
    return Number(this.mapped.entries.get(formatKey)?.toString() ?? 0)
  }

  /** Deletes messages beyond the bound; the newest stay, so that offsets continue. */
  private trim(topic: string, end: number): void {
    const keptMax = this.keptMessagesMax.get(topic)
    if (keptMax === undefined || end <= keptMax) return
    const { entries } = this.mapped
    const range = { start: keyOf(topic, 0), end: keyOf(topic, end - keptMax) }
    const old = [...entries.getKeys({ ...range, limit: trimmedPerAppendMax })]
    for (const key of old) void entries.remove(key)
  }

  /** @throws OffsetLost */
  private assertHeld(topic: string, offset: number): void {
    const held = { begin: this.beginOf(topic), end: this.endOf(topic) }
    if (offset < held.begin || offset > held.end) throw new OffsetLost(topic, offset, held)
  }

  private beginOf(topic: string): number {
    const range = { start: keyOf(topic, 0), end: endKeyOf(topic), limit: 1 }
    for (const key of this.mapped.entries.getKeys(range)) return offsetOf(key)
    return 0
  }

  private endOf(topic: string): number {
    const range = { start: endKeyOf(topic), end: keyOf(topic, 0), reverse: true, limit: 1 }
    for (const key of this.mapped.entries.getKeys({ ...range, inclusiveEnd: true })) {
      return offsetOf(key) + 1
    }
    return 0
  }
}

function keyOf(topic: string, offset: number): Buffer {
  const name = Buffer.byteLength(topic)
  const key = Buffer.alloc(name + 9)
  key.write(topic, 'utf8')
  key.writeBigUInt64BE(BigInt(offset), name + 1)
  return key
}

/** Above every key of the topic. */
function endKeyOf(topic: string): Buffer {
  return Buffer.concat([Buffer.from(topic, 'utf8'), Buffer.from([1])])
}

const offsetOf = (key: Buffer): number => Number(key.readBigUInt64BE(key.length - 8))

/** Set in the length of a key where the time of the append follows. */
const hasTime = 0x8000
const timeBytes = 8

/** Checksum of the rest (4 bytes), length of the key (2), time of the append (8), key, message. */
function frame({ key, value }: LogMessage, time: number): Buffer {
  const keyBytes = Buffer.from(key, 'utf8')
  if (keyBytes.length > keyBytesMax) throw new Error(`a message key above ${keyBytesMax} bytes`)
  const keyAt = 6 + timeBytes
  const framed = Buffer.allocUnsafe(keyAt + keyBytes.length + value.length)
  framed.writeUInt16BE(keyBytes.length | hasTime, 4)
  framed.writeBigUInt64BE(BigInt(time), 6)
  keyBytes.copy(framed, keyAt)
  framed.set(value, keyAt + keyBytes.length)
  framed.writeUInt32BE(crc32(framed.subarray(4)), 0)
  return framed
}

function unframe(framed: Buffer): Omit<StoredMessage, 'offset'> | null {
  if (framed.length < 6 || framed.readUInt32BE(0) !== crc32(framed.subarray(4))) return null
  const length = framed.readUInt16BE(4)
  // Format 1 recorded no time.
  const time = length & hasTime ? Number(framed.readBigUInt64BE(6)) : null
  const keyAt = time === null ? 6 : 6 + timeBytes
  const valueAt = keyAt + (length & ~hasTime)
  const key = framed.toString('utf8', keyAt, valueAt)
  const message = { key, value: framed.subarray(valueAt) }
  return time === null ? message : { ...message, time }
}
