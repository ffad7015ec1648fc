import type { Hash } from '../../libs/chain/hex.ts'
import type { EventLog, StoredMessage } from '../../libs/ports/event-log.ts'
import { accept, nothingAccepted } from '../../libs/topics/acceptance.ts'
import type { BlocksMessage } from '../../libs/topics/blocks.ts'
import { MessageAssembler } from '../../libs/topics/parts.ts'

export interface ChainInLog {
  readonly accepted: readonly BlocksMessage[]
  /** Reasons of the messages that every reader skips. */
  readonly skipped: readonly string[]
  /** Hashes of the blocks that stand at the end, by number. */
  readonly standing: ReadonlyMap<number, Hash>
  readonly head: { readonly number: number; readonly hash: Hash } | null
}

/** What a reader of topic `blocks` makes of it, from its first message to its last. */
export async function chainInLog(eventLog: EventLog): Promise<ChainInLog> {
  let state = nothingAccepted
  const accepted: BlocksMessage[] = []
  const skipped: string[] = []
  const standing = new Map<number, Hash>()
  const stored = await storedBlocks(eventLog, 0)
  const assembling = new MessageAssembler(async (offset) => stored[offset]?.value)
  for (const one of stored) {
    const heard = await assembling.add(one)
    if (heard === null) continue
    if (!('message' in heard.decoded)) {
      skipped.push(heard.decoded.invalid)
      continue
    }
    const { message } = heard.decoded
    const fate = accept(state, message)
    if (fate.fate === 'skipped') {
      skipped.push(fate.reason)
      continue
    }
    assembling.accepted()
    state = fate.next
    accepted.push(message)
    if (message.kind === 'block.applied') standing.set(message.block.number, message.block.hash)
    if (message.kind === 'block.reverted') standing.delete(message.block.number)
  }
  return { accepted, skipped, standing, head: state.head }
}

/** All of topic `blocks` from `begin` to its end of now. */
export const storedBlocks = (eventLog: EventLog, begin: number): Promise<StoredMessage[]> =>
  storedMessages(eventLog, 'blocks', begin)

/** All of a topic from `begin` to its end of now; on Kafka it comes piece by piece. */
export async function storedMessages(
  eventLog: EventLog,
  topic: string,
  begin: number,
): Promise<StoredMessage[]> {
  const limit = { messagesMax: 1_000_000, bytesMax: Number.MAX_SAFE_INTEGER }
  const end = await eventLog.end(topic)
  const stored: StoredMessage[] = []
  for (let next = begin; next < end; next = (stored.at(-1)?.offset ?? next - 1) + 1) {
    const some = await eventLog.read(topic, next, limit)
    stored.push(...some)
    if (some.length === 0) await eventLog.waitBeyond(topic, next, new AbortController().signal)
  }
  return stored
}
