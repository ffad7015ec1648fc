import { mkdir } from 'node:fs/promises'
import { type EventLog, OffsetLost } from '../../../../libs/ports/event-log.ts'
import { StartupError } from '../../../../libs/signals/startup-error.ts'
import { bytesHash } from '../../../../libs/topics/parts.ts'
import {
  type AcceptedMessage,
  AcceptedMessages,
  type Leftover,
  logBeginning,
  type ReadingPlace,
} from './accepted-messages.ts'
import { type Manifest, readManifest, writeManifest, writeMessages } from './export-folder.ts'

const topic = 'blocks'

/** Of the messages in a file, before compression; the last of them may exceed it. */
export const exportFileBytesMax = 256 * 1024 * 1024

interface ExportOptions {
  readonly eventLog: EventLog
  readonly folder: string
  /** Position of the first message; by default that of an export which is continued, else 1. */
  readonly from: number | null
  /** Position of the last message; by default the newest. */
  readonly to: number | null
  readonly fileBytesMax: number
  readonly signal: AbortSignal
}

export interface Exported {
  /** Null if the log holds nothing. */
  readonly manifest: Manifest | null
  /** Messages written now. */
  readonly count: number
  /** What readers skip after the last message that was written. */
  readonly leftover: Leftover | null
}

/**
 * Writes the accepted messages of topic `blocks` to files: their sequence and the hashes that link
 * them are checked as every reader checks them. Goes on after the last complete file of an export
 * that stopped, or that ended before the log grew.
 *
 * @throws StartupError if the folder holds an export of another log, or `to` comes before `from`
 */
export async function exportLog(options: ExportOptions): Promise<Exported> {
  const { eventLog, folder, to, signal } = options
  const known = readManifest(folder)
  const from = known?.from ?? options.from ?? 1
  if (options.from !== null && options.from !== from) {
    throw new StartupError(
      `${folder} holds an export from position ${from}: --from is ${options.from}. ` +
        'Export to another folder, or leave out --from.',
    )
  }
  if (to !== null && to < from) {
    throw new StartupError(`Nothing to export: the first position is ${from}, --to is ${to}.`)
  }
  await mkdir(folder, { recursive: true })
  const source = new AcceptedMessages(eventLog, await placeAfter(eventLog, folder, known))
  const messages = source.read()
  let manifest = known
  let count = 0
  const isWanted = ({ position }: AcceptedMessage) =>
    position >= from && position > (manifest?.next.accepted.sequence ?? 0)
  let next = await messages.next()
  while (!next.done && !isWanted(next.value)) next = await messages.next()
  while (!next.done && next.value.position <= (to ?? Number.MAX_SAFE_INTEGER) && !signal.aborted) {
    const first: AcceptedMessage = next.value
    const run = new FileRun(first, messages, options)
    const file = await writeMessages(folder, first.position, run.messages()).catch((error) => {
      if (signal.aborted) return null
      throw error
    })
    if (file === null) break
    const { accepted, offset, record } = run.last
    const files = [...(manifest?.files ?? []), file]
    const chainId = accepted.chainId ?? 0
    const place = { accepted, offset, lastRecord: record }
    manifest = { format: 1, topic, chainId, from, files, next: place }
    writeManifest(folder, manifest)
    count += file.to - file.from + 1
    next = run.next ?? (await messages.next())
  }
  return { manifest, count, leftover: source.leftover }
}

/** The messages of one file. */
class FileRun {
  readonly #source: AsyncGenerator<AcceptedMessage>
  readonly #options: Pick<ExportOptions, 'to' | 'fileBytesMax' | 'signal'>
  last: AcceptedMessage
  /** The first message after it, where it has been read. */
  next: IteratorResult<AcceptedMessage> | null = null

  constructor(
    first: AcceptedMessage,
    source: AsyncGenerator<AcceptedMessage>,
    options: Pick<ExportOptions, 'to' | 'fileBytesMax' | 'signal'>,
  ) {
    this.last = first
    this.#source = source
    this.#options = options
  }

  async *messages(): AsyncGenerator<AcceptedMessage> {
    const { to, fileBytesMax, signal } = this.#options
    let bytes = this.last.bytes.length
    yield this.last
    while (bytes < fileBytesMax && this.last.position !== to) {
      signal.throwIfAborted()
      const next = await this.#source.next()
      this.next = next
      if (next.done) return
      this.next = null
      this.last = next.value
      bytes += this.last.bytes.length
      yield this.last
    }
  }
}

/** After the last message of a known export, if the log still has it where it was. */
async function placeAfter(
  eventLog: EventLog,
  folder: string,
  known: Manifest | null,
): Promise<ReadingPlace> {
  if (known === null) return logBeginning(eventLog)
  const { accepted, offset, lastRecord } = known.next
  if ((await recordAt(eventLog, offset)) === lastRecord) return { accepted, offset: offset + 1 }
  // Offsets differ in a log that was moved: found by its position and hash.
  const source = new AcceptedMessages(eventLog, await logBeginning(eventLog))
  for await (const message of source.read()) {
    if (message.position < accepted.sequence) continue
    if (message.accepted.remembered.at(-1) !== accepted.remembered.at(-1)) break
    return { accepted: message.accepted, offset: message.offset + 1 }
  }
  throw new StartupError(
    `${folder} holds an export of another log: message ${accepted.sequence} of topic ${topic} ` +
      'is not its last one. Export to another folder.',
  )
}

async function recordAt(eventLog: EventLog, offset: number): Promise<string | null> {
  try {
    const [stored] = await eventLog.read(topic, offset, { messagesMax: 1, bytesMax: 1 })
    return stored?.offset === offset ? bytesHash(stored.value) : null
  } catch (error) {
    if (error instanceof OffsetLost) return null
    throw error
  }
}
