import { type Pause, pauses } from '../../libs/chain/pauses.ts'
import { next, position } from '../../libs/chain/position.ts'
import type { EventLog, LogMessage } from '../../libs/ports/event-log.ts'
import { seenHeaders } from '../../libs/signals/block-stage.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import {
  type Accepted,
  accept,
  type ChainHead,
  messageIdentity,
} from '../../libs/topics/acceptance.ts'
import { type BlocksMessage, blocksVersion, type Envelope } from '../../libs/topics/blocks.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { encodeInPieces } from '../../libs/topics/encode-in-pieces.ts'
import { hashWithPauses } from '../../libs/topics/hash-with-pauses.ts'
import { type PartHead, parsePart, splitMessage } from '../../libs/topics/parts.ts'
import type { IngestorLimits } from './memory/ingestor-limits.ts'
import { blocksTopic, type LogMemory } from './memory/log-memory.ts'

/** Messages about to be published: each checked as every reader will check it. */
export class MessageDraft {
  readonly chainId: number
  readonly messages: BlocksMessage[] = []
  /** When their blocks were first there, in ms since 1970; of new blocks alone. */
  readonly seen = new Map<BlocksMessage, number>()
  #accepted: Accepted

  constructor(accepted: Accepted, chainId: number) {
    this.#accepted = accepted
    this.chainId = chainId
  }

  /** The newest block, those of this draft among them; null before the first. */
  get head(): ChainHead | null {
    return this.#accepted.head
  }

  /** @throws if a reader would skip the message: nothing of this draft may then be published */
  add(make: (envelope: Envelope) => BlocksMessage, seen?: number): void {
    const sequence = next(position(this.#accepted.sequence))
    const message = make({ version: blocksVersion, sequence, chainId: this.chainId })
    const fate = accept(this.#accepted, message)
    if (fate.fate === 'skipped') {
      throw new Error(`would publish what readers skip as ${fate.reason}: ${fate.detail}`)
    }
    this.#accepted = fate.next
    this.messages.push(message)
    if (seen !== undefined) this.seen.set(message, seen)
  }

  /**
   * What goes into the log, one after the other: a message is encoded when its turn comes, and
   * cut into parts if it is large.
   *
   * @throws if a message is larger than the bound
   */
  async *pieces({ partBytesMax, messageBytesMax }: PieceBounds): AsyncGenerator<Piece> {
    const key = String(this.chainId)
    const pause = pauses()
    for (const message of this.messages) {
      const around = { key, ...seenHeaders(this.seen.get(message)) }
      const bytes = await encoded(message, { bytesMax: messageBytesMax, pause })
      if (bytes.length <= partBytesMax) {
        yield { message, entry: { ...around, value: bytes }, head: null }
        continue
      }
      const hash = await hashWithPauses(bytes, pause)
      for (const value of splitMessage(bytes, partBytesMax, hash)) {
        yield { message, entry: { ...around, value }, head: parsePart(value)?.head ?? null }
        await pause()
      }
    }
  }
}

interface PieceBounds {
  readonly partBytesMax: number
  readonly messageBytesMax: number
}

/** A message, or a part of one, as the log takes it. */
interface Piece {
  readonly message: BlocksMessage
  readonly entry: LogMessage
  readonly head: PartHead | null
}

/** Nothing of the message comes after it. */
const endsMessage = ({ head }: Piece): boolean => head === null || head.index + 1 === head.count

/** JavaScript limits the length of a string with an error of its own, a RangeError. */
async function encoded(message: BlocksMessage, options: Encoding): Promise<Uint8Array> {
  const bytes = await encodedOrNull(message, options)
  const { bytesMax } = options
  if (bytes !== null && bytes.length <= bytesMax) return bytes
  const size = bytes === null ? 'too many' : bytes.length
  throw new Error(
    `${nameOf(message)} makes a message of ${size} bytes, above messageBytesMax (${bytesMax})`,
  )
}

/** Logs and characters of a block that is encoded at once, in some ten milliseconds. */
const shortLogsMax = 2_000
const shortCharactersMax = 2_000_000

function isShort(message: BlocksMessage): boolean {
  if (message.kind !== 'block.applied' && message.kind !== 'block.reverted') return true
  let [count, characters] = [0, 0]
  for (const { logs, input } of message.block.transactions) {
    count += logs.length
    characters += input.length
    for (const { data } of logs) characters += data.length
  }
  return count <= shortLogsMax && characters <= shortCharactersMax
}

interface Encoding {
  readonly bytesMax: number
  readonly pause: Pause
}

async function encodedOrNull(
  message: BlocksMessage,
  options: Encoding,
): Promise<Uint8Array | null> {
  try {
    return isShort(message) ? encodeMessage(message) : await encodeInPieces(message, options)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function nameOf(message: BlocksMessage): string {
  switch (message.kind) {
    case 'block.applied':
    case 'block.reverted':
      return `block ${message.block.number}`
    case 'state.observed':
      return `the observation after block ${message.block}`
    case 'gap.declared':
      return `the gap from block ${message.from}`
  }
}

interface Publishing {
  readonly eventLog: EventLog
  readonly memory: LogMemory
  readonly limits: IngestorLimits
}

/**
 * Publishes a draft in appends of bounded size, and applies it to the memory. While there is no
 * other writer, its messages need not be read back. Otherwise the log decides: it is read back,
 * and a partly appended message is completed unless its sequence is taken. (Two ingestors that
 * restarted whenever they see each other would never finish.)
 *
 * @returns null, or the offset at which another ingestor was found to have won
 */
export async function publishDraft(draft: MessageDraft, parts: Publishing): Promise<number | null> {
  const { eventLog, memory, limits } = parts
  let isAlone = memory.isClean
  let begun: number[] = []
  for await (const run of runsOf(draft.pieces(limits), limits.appendBytesMax)) {
    const entries = run.map(({ entry }) => entry)
    const offsets = await eventLog.append(blocksTopic, entries)
    const last = run.at(-1)
    if (last === undefined) continue
    const first = memory.offset + begun.length
    refuseBelow(first, offsets)
    isAlone &&= offsets.every((offset, at) => offset === first + at)
    if (isAlone) {
      begun = await takenIn(memory, run, begun)
      continue
    }
    await memory.catchUp()
    const isOpen = !endsMessage(last) && memory.accepted.sequence < last.message.sequence
    if (!isOpen && !stands(memory, last.message)) return offsets[0] ?? first
    begun = []
    isAlone = memory.isClean
  }
  return null
}

/** The log was truncated below the offset that was read before. @throws */
function refuseBelow(read: number, offsets: readonly number[]): void {
  const [offset = read] = offsets
  if (offset >= read) return
  throw new Error(
    `topic ${blocksTopic} was cut: a message was appended at offset ${offset}, and it was read up ` +
      `to ${read}; acknowledged messages were lost; the next start continues; see ${runbooks.lostTail}`,
  )
}

/** @returns the offsets of the parts of a message that is not complete yet */
async function takenIn(
  memory: LogMemory,
  run: readonly Piece[],
  before: readonly number[],
): Promise<number[]> {
  let begun = [...before]
  for (const piece of run) {
    const { head, message } = piece
    begun.push(memory.offset + begun.length)
    if (!endsMessage(piece)) continue
    const whole = head && { hash: head.hash, bytes: head.bytes, offsets: begun }
    await memory.takeIn(message, { offset: begun.at(-1) ?? memory.offset, whole })
    begun = []
  }
  return begun
}

/** Whether this message, from any publisher, is the newest accepted one. */
const stands = ({ accepted }: LogMemory, message: BlocksMessage): boolean =>
  accepted.sequence === message.sequence && accepted.remembered.at(-1) === messageIdentity(message)

async function* runsOf(
  pieces: AsyncIterable<Piece>,
  bytesMax: number,
): AsyncGenerator<readonly Piece[]> {
  let run: Piece[] = []
  let bytes = 0
  for await (const piece of pieces) {
    const size = piece.entry.value.length
    if (run.length > 0 && bytes + size > bytesMax) {
      yield run
      run = []
      bytes = 0
    }
    run.push(piece)
    bytes += size
  }
  if (run.length > 0) yield run
}
