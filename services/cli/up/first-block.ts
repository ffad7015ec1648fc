import type { EventLog } from '../../../libs/ports/event-log.ts'
import { decodeInPieces } from '../../../libs/topics/decode-in-pieces.ts'
import { MessageAssembler, parsePart } from '../../../libs/topics/parts.ts'

/** Parts of one large block, at most; nothing else precedes the first block of a log. */
const lookedAtMax = { messagesMax: 64, bytesMax: 16 * 1024 * 1024 } as const

/** Number of the first block of the log; null where it is not among its first messages. */
export async function firstBlock(eventLog: EventLog): Promise<number | null> {
  const stored = await eventLog.read('blocks', await eventLog.begin('blocks'), lookedAtMax)
  const held = new Map(stored.map((one) => [one.offset, one.value]))
  const assembling = new MessageAssembler(async (at) => held.get(at))
  for (const one of stored) {
    const isPart = parsePart(one.value) !== null
    const decoded = isPart
      ? (await assembling.add(one))?.decoded
      : await decodeInPieces(Buffer.from(one.value))
    if (decoded === undefined || !('message' in decoded)) continue
    if (decoded.message.kind === 'block.applied') return decoded.message.block.number
  }
  return null
}
