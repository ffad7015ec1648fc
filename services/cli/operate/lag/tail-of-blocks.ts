import type { EventLog, StoredMessage } from '../../../../libs/ports/event-log.ts'
import { type Accepted, accept, nothingAccepted } from '../../../../libs/topics/acceptance.ts'
import type { BlocksMessage } from '../../../../libs/topics/blocks.ts'
import type { Decoded } from '../../../../libs/topics/codec.ts'
import { LostRaceFilter } from '../../../../libs/topics/lost-race-filter.ts'
import { MessageAssembler } from '../../../../libs/topics/parts.ts'

const topic = 'blocks'
/** Log messages read; each part of a large block is one. */
const tailMessagesMax = 48
const readBytesMax = 8 * 1024 * 1024

interface DecodedAt {
  readonly offset: number
  readonly decoded: Decoded<BlocksMessage>
}

/** A message that every reader ignores, and why. */
interface IgnoredMessage {
  readonly offset: number
  readonly reason: string
  readonly detail: string
}

/** The end of topic `blocks`, as far as its last messages show it. */
export interface TailOfBlocks {
  /** Of the next log message. */
  readonly end: number
  /** Of the last accepted message; null if none of the last ones is. */
  readonly position: number | null
  /** The newest block at that message; `time` in seconds. */
  readonly block: number | null
  readonly time: number | null
  /** Messages after it that are not accepted, in order: a group that reads them is stuck. */
  readonly ignored: readonly IgnoredMessage[]
}

/**
 * Reads back the last messages of topic `blocks`.
 *
 * @param chainId null for any chain
 * @throws LogUnavailable
 */
export async function tailOfBlocks(
  eventLog: EventLog,
  chainId: number | null,
): Promise<TailOfBlocks> {
  const [begin, end] = await Promise.all([eventLog.begin(topic), eventLog.end(topic)])
  const assembling = new MessageAssembler(async (offset) => {
    const [stored] = await eventLog.read(topic, offset, { messagesMax: 1, bytesMax: 1 })
    return stored?.offset === offset ? stored.value : undefined
  })
  const decoded: DecodedAt[] = []
  for (let offset = Math.max(begin, end - tailMessagesMax); offset < end; ) {
    const limit = { messagesMax: end - offset, bytesMax: readBytesMax }
    const read: readonly StoredMessage[] = await eventLog.read(topic, offset, limit)
    const last = read.at(-1)
    if (last === undefined) break
    for (const stored of read) {
      const one = await assembling.add(stored)
      if (one !== null) decoded.push({ offset: stored.offset, decoded: one.decoded })
    }
    offset = last.offset + 1
  }
  return tailIn(decoded, end, chainId)
}

interface Run {
  readonly accepted: Accepted
  readonly count: number
  /** After the last accepted one. */
  readonly ignored: readonly IgnoredMessage[]
}

/**
 * What is accepted at the end of a log of which only these messages are known: the longest run of
 * messages that accept one another, because nothing follows a stray message.
 */
function tailIn(decoded: readonly DecodedAt[], end: number, chainId: number | null): TailOfBlocks {
  let longest: Run = { accepted: nothingAccepted, count: 0, ignored: [] }
  for (let at = 0; at < decoded.length && decoded.length - at > longest.count; at++) {
    const run = runFrom(decoded.slice(at), chainId)
    if (run.count > longest.count) longest = run
  }
  const { accepted, count, ignored } = longest
  if (count === 0) {
    return { end, position: null, block: null, time: null, ignored: decoded.map(undecided) }
  }
  const { number: block = null, timestamp: time = null } = accepted.head ?? {}
  return { end, position: accepted.sequence, block, time, ignored }
}

/** The run that begins with the first of the messages. */
function runFrom(messages: readonly DecodedAt[], chainId: number | null): Run {
  const [first] = messages
  const none = { accepted: nothingAccepted, count: 0, ignored: [] }
  if (first === undefined || !('message' in first.decoded)) return none
  const sequence = first.decoded.message.sequence - 1
  let accepted: Accepted = { ...nothingAccepted, sequence, chainId }
  let count = 0
  let ignored: IgnoredMessage[] = []
  const races = new LostRaceFilter()
  for (const { offset, decoded } of messages) {
    if (!('message' in decoded)) {
      ignored.push({ offset, reason: 'invalid', detail: decoded.invalid })
      continue
    }
    const fate = accept(accepted, decoded.message)
    if (fate.fate === 'accepted') {
      accepted = fate.next
      count++
      ignored = []
    } else if (!races.isLost(decoded.message, fate.reason)) {
      ignored.push({ offset, reason: fate.reason, detail: fate.detail })
    }
  }
  return { accepted, count, ignored }
}

const undecided = ({ offset, decoded }: DecodedAt): IgnoredMessage => ({
  offset,
  reason: 'invalid',
  detail: 'invalid' in decoded ? decoded.invalid : 'it follows nothing',
})
