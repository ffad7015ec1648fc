import type { EventLog } from '../../../../libs/ports/event-log.ts'
import { decodeMessage, encodeMessage } from '../../../../libs/topics/codec.ts'
import {
  type Acknowledgement,
  acknowledgement,
  deadLetterTopic,
} from '../../../../libs/topics/topics.ts'
import { readMessages } from './read-messages.ts'

/** Of one acknowledgement; a larger message is a dead letter. */
const acknowledgementBytesMax = 1024 * 1024
/** Newest messages of a topic that can be settled: people look at dead letters one by one. */
const settledMax = 100_000

/** Null if the message is none. */
export function acknowledgementIn(value: Uint8Array): Acknowledgement | null {
  if (value.length > acknowledgementBytesMax) return null
  const decoded = decodeMessage(acknowledgement, value)
  return 'invalid' in decoded ? null : decoded.message
}

/** Messages of a topic of dead letters that nobody needs to look at; what came since is read on. */
export class SettledLetters {
  private readonly log: EventLog
  private readonly topic: string
  private readonly offsets = new Set<number>()
  private readUpTo = 0

  constructor(log: EventLog, topic: string) {
    this.log = log
    this.topic = deadLetterTopic(topic)
  }

  has(offset: number): boolean {
    return this.offsets.has(offset)
  }

  /** Reads what came since. @returns how many dead letters are not settled */
  async read(): Promise<number> {
    const begin = await this.log.begin(this.topic)
    for await (const { offset, value } of readMessages(this.log, this.topic, this.readUpTo)) {
      this.readUpTo = offset + 1
      const found = acknowledgementIn(value)
      if (found === null) continue
      this.offsets.add(offset)
      for (const range of found.offsets) this.settle(range, { begin, end: offset })
    }
    const end = Math.max(begin, this.readUpTo)
    for (const offset of this.offsets) if (offset < begin) this.offsets.delete(offset)
    return end - begin - this.offsets.size
  }

  /** An acknowledgement speaks of what was there before it. */
  private settle(range: { from: number; to: number }, among: { begin: number; end: number }): void {
    const first = Math.max(range.from, among.begin, among.end - settledMax)
    const last = Math.min(range.to, among.end - 1)
    for (let offset = first; offset <= last; offset++) this.offsets.add(offset)
  }
}

interface AcknowledgeOptions {
  readonly topic: string
  /** Of one dead letter in its topic; null for all. */
  readonly offset: number | null
  /** In ms since 1970. */
  readonly now: number
}

/**
 * Acknowledges dead letters, once: those that are acknowledged already are left alone.
 * @returns the offsets of the others; null if there is no dead letter at the offset
 */
export async function acknowledgeLetters(
  log: EventLog,
  { topic, offset, now }: AcknowledgeOptions,
): Promise<readonly number[] | null> {
  const settled = new SettledLetters(log, topic)
  await settled.read()
  const letters = deadLetterTopic(topic)
  const [begin, end] = await Promise.all([log.begin(letters), log.end(letters)])
  if (offset !== null && (offset < begin || offset >= end)) return null
  const first = offset ?? Math.max(begin, end - settledMax)
  const last = offset ?? end - 1
  const open: number[] = []
  for (let at = first; at <= last; at++) if (!settled.has(at)) open.push(at)
  if (open.length === 0) return open
  const said: Acknowledgement = {
    kind: 'acknowledged',
    offsets: [{ from: first, to: last }],
    time: now,
  }
  await log.append(letters, [{ key: 'acknowledged', value: encodeMessage(said) }])
  return open
}
