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
 * Publishes a draft, a bounded run of bytes at a time, and takes it into the memory. While nobody
 * else writes, ours need not be read back. Otherwise the log decides: it is read back, and a
 * message of which some parts are out is finished as long as its place is not taken. (Two who
 * began anew each time that they see the other would never come to an end.)
 *
 * @returns null, or the offset where it was seen that others have taken the place of ours
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

/** What was read up to there is not in the log any more, whatever lies there now. @throws */
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

/** Whoever has said it: the newest message that counts is this one. */
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
