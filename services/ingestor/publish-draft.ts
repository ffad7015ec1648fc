import type { EventLog } from '../../libs/ports/event-log.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import { messageIdentity } from '../../libs/topics/acceptance.ts'
import type { BlocksMessage } from '../../libs/topics/blocks.ts'
import { endsMessage, type MessageDraft, type Piece } from './draft.ts'
import type { IngestorLimits } from './ingestor-limits.ts'
import { blocksTopic, type LogMemory } from './log-memory.ts'

interface Publishing {
  readonly log: EventLog
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
  const { log, memory, limits } = parts
  let isAlone = memory.isClean
  let begun: number[] = []
  for (const run of runsOf(draft.pieces(limits), limits.appendBytesMax)) {
    const entries = run.map(({ entry }) => entry)
    const offsets = await log.append(blocksTopic, entries)
    const last = run.at(-1)
    if (last === undefined) continue
    const first = memory.offset + begun.length
    refuseBelow(first, offsets)
    isAlone &&= offsets.every((offset, at) => offset === first + at)
    if (isAlone) {
      begun = takenIn(memory, run, begun)
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
function takenIn(memory: LogMemory, run: readonly Piece[], before: readonly number[]): number[] {
  let begun = [...before]
  for (const piece of run) {
    const { head, message } = piece
    begun.push(memory.offset + begun.length)
    if (!endsMessage(piece)) continue
    const whole = head && { hash: head.hash, bytes: head.bytes, offsets: begun }
    memory.takeIn(message, { offset: begun.at(-1) ?? memory.offset, whole })
    begun = []
  }
  return begun
}

/** Whether this message, from any publisher, is the newest accepted one. */
const stands = ({ accepted }: LogMemory, message: BlocksMessage): boolean =>
  accepted.sequence === message.sequence && accepted.remembered.at(-1) === messageIdentity(message)

function* runsOf(pieces: Iterable<Piece>, bytesMax: number): Generator<readonly Piece[]> {
  let run: Piece[] = []
  let bytes = 0
  for (const piece of pieces) {
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
