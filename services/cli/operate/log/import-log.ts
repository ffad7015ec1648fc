import type { EventLog, LogMessage } from '../../../../libs/ports/event-log.ts'
import { StartupError } from '../../../../libs/signals/startup-error.ts'
import { type Accepted, accept, nothingAccepted } from '../../../../libs/topics/acceptance.ts'
import { decodeBlocksMessage } from '../../../../libs/topics/codec.ts'
import { partBytesMax, splitMessage } from '../../../../libs/topics/parts.ts'
import { type AcceptedMessage, AcceptedMessages, logBeginning } from './accepted-messages.ts'
import {
  damaged,
  type ExportedFile,
  type Manifest,
  readExported,
  readManifest,
  verifyFiles,
} from './export-folder.ts'

const topic = 'blocks'

interface ImportOptions {
  readonly eventLog: EventLog
  readonly folder: string
  /** Of the deployment, if it is known. */
  readonly chainId: number | null
  /** Maximum bytes of a record, and of an append of several. */
  readonly recordBytesMax?: number
  readonly signal: AbortSignal
}

export interface ImportedLog {
  readonly manifest: Manifest
  /** Messages that the topic had already. */
  readonly known: number
  /** Messages published now. */
  readonly count: number
}

/**
 * Publishes an export to topic `blocks`, after all its files were verified. The topic must be empty
 * or hold the beginning of the same log: then it goes on after that.
 *
 * @throws StartupError that names file and position where the export is damaged or does not follow
 */
export async function importLog(options: ImportOptions): Promise<ImportedLog> {
  const { folder, chainId, signal } = options
  const manifest = readManifest(folder)
  if (manifest === null)
    throw new StartupError(`${folder} holds no export: it has no manifest.json.`)
  if (chainId !== null && chainId !== manifest.chainId) {
    throw new StartupError(`The export is of chain ${manifest.chainId}, --chain-id is ${chainId}.`)
  }
  await verifyFiles(folder, manifest)
  const importing = new LogImport(options, manifest)
  await importing.begin()
  for (const file of manifest.files) {
    for await (const bytes of readExported(folder, file)) {
      if (signal.aborted) break
      await importing.take(bytes, file)
    }
    if (signal.aborted) break
  }
  await importing.flush()
  return { manifest, known: importing.known, count: importing.count }
}

class LogImport {
  readonly #eventLog: EventLog
  readonly #manifest: Manifest
  readonly #recordBytesMax: number
  #standing: AcceptedMessages | null = null
  /** What the topic holds already; null after its end. */
  #messages: AsyncGenerator<AcceptedMessage> | null = null
  #accepted: Accepted = nothingAccepted
  #waiting: LogMessage[] = []
  #waitingBytes = 0
  known = 0
  count = 0

  constructor({ eventLog, recordBytesMax = partBytesMax }: ImportOptions, manifest: Manifest) {
    this.#eventLog = eventLog
    this.#manifest = manifest
    this.#recordBytesMax = recordBytesMax
  }

  /** Reads what must come before the first message of the export. */
  async begin(): Promise<void> {
    this.#standing = new AcceptedMessages(this.#eventLog, await logBeginning(this.#eventLog))
    this.#messages = this.#standing.read()
    const { from } = this.#manifest
    while (this.#accepted.sequence < from - 1) {
      const before = await this.#nextStanding()
      if (before === null) {
        throw new StartupError(
          `The export begins at position ${from}, topic ${topic} ends at ` +
            `${this.#accepted.sequence}: import the part before it first.`,
        )
      }
      this.#accepted = before.accepted
    }
  }

  /** Publishes a message, or compares it with the one that the topic has in its place. */
  async take(bytes: Buffer, file: ExportedFile): Promise<void> {
    const position = this.#accepted.sequence + 1
    this.#accepted = this.#stepOf(bytes, file)
    const standing = await this.#nextStanding()
    if (standing !== null) {
      this.known += 1
      if (Buffer.compare(standing.bytes, bytes) === 0) return
      throw new StartupError(
        `Topic ${topic} holds another log: its message at position ${position} (offset ` +
          `${standing.offset}) is not that of ${file.name}. Import into an empty topic.`,
      )
    }
    this.count += 1
    await this.#publish(bytes)
  }

  /** The state after the message. @throws StartupError if it does not follow the one before */
  #stepOf(bytes: Buffer, file: ExportedFile): Accepted {
    const place = `at position ${this.#accepted.sequence + 1}`
    const decoded = decodeBlocksMessage(bytes)
    if ('invalid' in decoded)
      throw damaged(file, `has an invalid message ${place}: ${decoded.invalid}`)
    const { chainId } = decoded.message
    if (chainId !== this.#manifest.chainId) {
      throw damaged(
        file,
        `has a message of chain ${chainId} ${place}, not ${this.#manifest.chainId}`,
      )
    }
    const fate = accept(this.#accepted, decoded.message)
    if (fate.fate === 'accepted') return fate.next
    throw damaged(file, `has a message ${place} that does not follow: ${fate.detail}`)
  }

  async #nextStanding(): Promise<AcceptedMessage | null> {
    if (this.#messages === null) return null
    const next = await this.#messages.next()
    if (!next.done) return next.value
    this.#messages = null
    const leftover = this.#standing?.leftover ?? null
    if (leftover === null) return null
    throw new StartupError(
      `Topic ${topic} holds a message that no import published, at offset ${leftover.offset} ` +
        `(${leftover.reason}). Import into an empty topic.`,
    )
  }

  async #publish(bytes: Buffer): Promise<void> {
    const key = String(this.#manifest.chainId)
    if (bytes.length > this.#recordBytesMax) {
      await this.flush()
      for (const value of splitMessage(bytes, this.#recordBytesMax)) {
        await this.#eventLog.append(topic, [{ key, value }])
      }
      return
    }
    if (this.#waitingBytes + bytes.length > this.#recordBytesMax) await this.flush()
    this.#waiting.push({ key, value: bytes })
    this.#waitingBytes += bytes.length
  }

  async flush(): Promise<void> {
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    this.#waitingBytes = 0
    await this.#eventLog.append(topic, waiting)
  }
}
