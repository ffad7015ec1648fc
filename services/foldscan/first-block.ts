import type { EventLog } from '../../libs/ports/event-log.ts'
import { MessageAssembler } from '../../libs/topics/assembling.ts'

/** Parts of one large block, at most; nothing else precedes the first block of a log. */
const lookedAtMax = { messagesMax: 64, bytesMax: 16 * 1024 * 1024 } as const

/** Number of the first block of the log; null where it is not among its first messages. */
export async function firstBlock(log: EventLog): Promise<number | null> {
  const begin = await log.begin('blocks')
  const stored = await log.read('blocks', begin, lookedAtMax)
  const held = new Map(stored.map(({ offset, value }) => [offset, value]))
  const assembling = new MessageAssembler(async (offset) => held.get(offset))
  for (const one of stored) {
    const { decoded } = (await assembling.add(one)) ?? {}
    if (decoded === undefined || 'invalid' in decoded) continue
    if (decoded.message.kind === 'block.applied') return decoded.message.block.number
  }
  return null
}
