import type { Block } from '../../libs/chain/block.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import { MessageAssembler } from '../../libs/topics/assembling.ts'

/** Enough to meet every kind of subject on a lively chain, and read in a moment. */
const lookBack = { messagesMax: 48, bytesMax: 16 * 1024 * 1024 } as const

/** Blocks of the newest messages of the log, as far as they can be read in a moment. */
export async function recentBlocks(log: EventLog): Promise<Block[]> {
  const end = await log.end('blocks')
  const stored = await log.read('blocks', Math.max(0, end - lookBack.messagesMax), lookBack)
  const held = new Map(stored.map(({ offset, value }) => [offset, value]))
  const assembling = new MessageAssembler(async (offset) => held.get(offset))
  const blocks: Block[] = []
  for (const one of stored) {
    const { decoded } = (await assembling.add(one)) ?? {}
    if (decoded === undefined || 'invalid' in decoded) continue
    if (decoded.message.kind === 'block.applied') blocks.push(decoded.message.block)
  }
  return blocks
}
