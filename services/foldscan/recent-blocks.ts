import type { Block } from '../../libs/chain/block.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import { decodeBlocksMessage } from '../../libs/topics/codec.ts'

/** Enough to meet every kind of subject on a lively chain, and read in a moment. */
const lookBack = { messagesMax: 48, bytesMax: 16 * 1024 * 1024 } as const

/** Blocks of the newest messages of the log; those that came in parts are too large for a look. */
export async function recentBlocks(log: EventLog): Promise<Block[]> {
  const end = await log.end('blocks')
  const messages = await log.read('blocks', Math.max(0, end - lookBack.messagesMax), lookBack)
  return messages.flatMap(({ value }) => {
    const said = decodeBlocksMessage(value)
    return 'message' in said && said.message.kind === 'block.applied' ? [said.message.block] : []
  })
}
