import { position } from '../../libs/chain/position.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import type { BlocksMessage } from '../../libs/topics/blocks.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { MessageAssembler, partBytesMax, splitMessage } from '../../libs/topics/parts.ts'

/** Messages of a log without others, in their order. */
async function messagesOf(eventLog: EventLog): Promise<BlocksMessage[]> {
  const one = { messagesMax: 1, bytesMax: 1 }
  const valueAt = async (offset: number) => (await eventLog.read('blocks', offset, one))[0]?.value
  const assembler = new MessageAssembler(valueAt)
  const messages: BlocksMessage[] = []
  const end = await eventLog.end('blocks')
  for (let offset = 0; offset < end; offset++) {
    const value = await valueAt(offset)
    const read = value === undefined ? null : await assembler.add({ offset, value })
    if (read !== null && 'message' in read.decoded) messages.push(read.decoded.message)
  }
  return messages
}

export const lastSequence = async (eventLog: EventLog): Promise<number> =>
  (await messagesOf(eventLog)).at(-1)?.sequence ?? 0

/** Appends what takes back all blocks but the first. */
export async function appendReverts(eventLog: EventLog): Promise<void> {
  const applied = (await messagesOf(eventLog)).filter((one) => one.kind === 'block.applied')
  let sequence = applied.length
  for (const message of applied.slice(1).reverse()) {
    sequence += 1
    const bytes = encodeMessage({
      ...message,
      kind: 'block.reverted',
      sequence: position(sequence),
    })
    const values = bytes.length <= partBytesMax ? [bytes] : splitMessage(bytes, partBytesMax)
    for (const value of values) await eventLog.append('blocks', [{ key: '1', value }])
  }
}
