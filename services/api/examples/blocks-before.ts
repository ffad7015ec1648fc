import type { Block } from '../../../libs/chain/block.ts'
import { pauses } from '../../../libs/chain/pauses.ts'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import { decodeInPieces } from '../../../libs/topics/decode-in-pieces.ts'
import { parsePart } from '../../../libs/topics/parts.ts'

/** Enough to meet every kind of subject on a lively chain, and read in a moment. */
const limit = { messagesMax: 48, bytesMax: 4 * 1024 * 1024 } as const
/** A lookup: it leaves the reader of the topic where it is. */
const one = { messagesMax: 1, bytesMax: 1 } as const

/**
 * Blocks of the last messages of the log before an offset, newest first, as far as they can be read
 * in a moment; without blocks that are published in parts. Pauses.
 * @throws as `read` of the log does
 */
export async function blocksBefore(eventLog: EventLog, end: number): Promise<Block[]> {
  const begin = Math.max(await eventLog.begin('blocks'), end - limit.messagesMax)
  const blocks: Block[] = []
  // Of all of them: many that are decoded without a pause take long together.
  const pause = pauses()
  let bytes = 0
  for (let offset = end - 1; offset >= begin && bytes < limit.bytesMax; offset--) {
    await pause()
    const [stored] = await eventLog.read('blocks', offset, one)
    if (stored === undefined) break
    bytes += stored.value.length
    if (parsePart(stored.value) !== null) continue
    const decoded = await decodeInPieces(Buffer.from(stored.value))
    if ('message' in decoded && decoded.message.kind === 'block.applied') {
      blocks.push(decoded.message.block)
    }
  }
  return blocks
}
