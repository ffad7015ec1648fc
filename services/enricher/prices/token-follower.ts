import { eventTopic } from '../../../libs/chain/abi-words.ts'
import type { Block } from '../../../libs/chain/block.ts'
import { pauses } from '../../../libs/chain/pauses.ts'
import { type EventLog, LogUnavailable, OffsetLost } from '../../../libs/ports/event-log.ts'
import { pause } from '../../../libs/signals/pause.ts'
import { BlockMessages } from '../reading/block-messages.ts'
import type { TokenTurns } from './token-turns.ts'

const topic = 'blocks'
/** Messages before the end of the topic that are read first: an hour or so. */
const lookBackMessages = 2_000
const readLimit = { messagesMax: 64, bytesMax: 8 * 1024 * 1024 }

interface FollowTokens {
  readonly eventLog: EventLog
  readonly turns: TokenTurns
  readonly retryMs: number
  readonly warn: (sentence: string) => void
}

/** Notes the ERC-20 tokens that topic `blocks` moves, until the signal aborts. */
export async function followTokens(parts: FollowTokens, signal: AbortSignal): Promise<void> {
  const messages = new BlockMessages(parts.eventLog)
  let offset: number | null = null
  while (!signal.aborted) {
    try {
      offset ??= await recentOffset(parts.eventLog)
      offset = await noted(offset, { ...parts, messages }, signal)
    } catch (error) {
      if (error instanceof OffsetLost) offset = null
      else if (!(error instanceof LogUnavailable)) throw error
      parts.warn(`topic ${topic} was not read: ${error.message}`)
      await pause(parts.retryMs, signal)
    }
  }
}

async function recentOffset(eventLog: EventLog): Promise<number> {
  const [begin, end] = [await eventLog.begin(topic), await eventLog.end(topic)]
  return Math.max(begin, end - lookBackMessages)
}

interface Noting extends Pick<FollowTokens, 'eventLog' | 'turns'> {
  readonly messages: BlockMessages
}

/** @returns where reading continues */
async function noted(offset: number, { eventLog, turns, messages }: Noting, signal: AbortSignal) {
  const stored = await eventLog.read(topic, offset, readLimit)
  if (stored.length === 0) await eventLog.waitBeyond(topic, offset, signal)
  let next = offset
  for (const one of stored) {
    if (signal.aborted) break
    const decoded = await messages.decoded(one)
    next = one.offset + 1
    if (decoded === null || 'invalid' in decoded) continue
    if (decoded.message.kind === 'block.applied') await noteMoved(decoded.message.block, turns)
  }
  return next
}

const transferTopic = eventTopic('Transfer(address,address,uint256)')
/** Of an ERC-20 transfer; that of an ERC-721 has one more. */
const topicsCount = 3

async function noteMoved(block: Block, turns: TokenTurns): Promise<void> {
  const breathe = pauses()
  for (const { logs } of block.transactions) {
    await breathe()
    for (const { address, topics } of logs) {
      if (topics[0] === transferTopic && topics.length === topicsCount) turns.note(address)
    }
  }
}
