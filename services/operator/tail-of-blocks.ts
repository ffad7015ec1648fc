import type { EventLog, StoredMessage } from '../../libs/ports/event-log.ts'
import { type Accepted, accept, nothingAccepted } from '../../libs/topics/acceptance.ts'
import { Assembling } from '../../libs/topics/assembling.ts'
import type { BlocksMessage } from '../../libs/topics/blocks.ts'
import type { Decoded } from '../../libs/topics/codec.ts'

const topic = 'blocks'
/** Log messages looked at; parts of a great block are one each. */
const tailMessagesMax = 48
const readBytesMax = 8 * 1024 * 1024

export interface HeardAt {
  readonly offset: number
  readonly decoded: Decoded<BlocksMessage>
}

/** A message that every reader skips, and why. */
export interface NotCounting {
  readonly offset: number
  readonly reason: string
  readonly detail: string
}

/** Where topic `blocks` stands, as far as its last messages tell. */
export interface TailOfBlocks {
  /** Of the next log message. */
  readonly end: number
  /** Of the last message that counts; null if none of the last ones does. */
  readonly sequence: number | null
  /** The newest block at that message; `time` in seconds. */
  readonly block: number | null
  readonly time: number | null
  /** Messages after it that do not count, in order: whoever reads them is stuck. */
  readonly notCounting: readonly NotCounting[]
}

/**
 * Reads back the last messages of topic `blocks`.
 *
 * @param chainId null for whichever chain it is
 * @throws LogUnavailable
 */
export async function tailOfBlocks(log: EventLog, chainId: number | null): Promise<TailOfBlocks> {
  const [begin, end] = await Promise.all([log.begin(topic), log.end(topic)])
  const assembling = new Assembling(async (offset) => {
    const [stored] = await log.read(topic, offset, { messagesMax: 1, bytesMax: 1 })
    return stored?.offset === offset ? stored.value : undefined
  })
  const heard: HeardAt[] = []
  for (let offset = Math.max(begin, end - tailMessagesMax); offset < end; ) {
    const limit = { messagesMax: end - offset, bytesMax: readBytesMax }
    const read: readonly StoredMessage[] = await log.read(topic, offset, limit)
    const last = read.at(-1)
    if (last === undefined) break
    for (const stored of read) {
      const one = await assembling.hear(stored)
      if (one !== null) heard.push({ offset: stored.offset, decoded: one.decoded })
    }
    offset = last.offset + 1
  }
  return tailIn(heard, end, chainId)
}

interface Run {
  readonly accepted: Accepted
  readonly count: number
  /** After the last that counts. */
  readonly skipped: readonly NotCounting[]
}

/**
 * What counts at the end of a log of which only these messages are known: those of the longest run
 * of the chain that accepts itself, as a stray message is followed by nothing.
 */
export function tailIn(
  heard: readonly HeardAt[],
  end: number,
  chainId: number | null,
): TailOfBlocks {
  let longest: Run = { accepted: nothingAccepted, count: 0, skipped: [] }
  for (let at = 0; at < heard.length && heard.length - at > longest.count; at++) {
    const run = runFrom(heard.slice(at), chainId)
    if (run.count > longest.count) longest = run
  }
  const { accepted, count, skipped } = longest
  if (count === 0) {
    return { end, sequence: null, block: null, time: null, notCounting: heard.map(undecided) }
  }
  const { number: block = null, timestamp: time = null } = accepted.head ?? {}
  return { end, sequence: accepted.sequence, block, time, notCounting: skipped }
}

/** What the reader makes of it for whom the first message is the next one. */
function runFrom(heard: readonly HeardAt[], chainId: number | null): Run {
  const [first] = heard
  const none = { accepted: nothingAccepted, count: 0, skipped: [] }
  if (first === undefined || !('message' in first.decoded)) return none
  const sequence = first.decoded.message.sequence - 1
  let accepted: Accepted = { ...nothingAccepted, sequence, chainId }
  let count = 0
  let skipped: NotCounting[] = []
  for (const { offset, decoded } of heard) {
    if (!('message' in decoded)) {
      skipped.push({ offset, reason: 'invalid', detail: decoded.invalid })
      continue
    }
    const fate = accept(accepted, decoded.message)
    if (fate.fate === 'accepted') {
      accepted = fate.next
      count++
      skipped = []
    } else if (fate.reason !== 'duplicate') {
      skipped.push({ offset, reason: fate.reason, detail: fate.detail })
    }
  }
  return { accepted, count, skipped }
}

const undecided = ({ offset, decoded }: HeardAt): NotCounting => ({
  offset,
  reason: 'invalid',
  detail: 'invalid' in decoded ? decoded.invalid : 'it follows nothing',
})
