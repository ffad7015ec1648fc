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
/** Newest messages of a topic that one acknowledgement settles. */
const settledMax = 100_000
/** Runs of settled messages that are remembered; the oldest beyond them count as open again. */
export const settledRunsMax = 10_000

/** Null if the message is none. */
export function acknowledgementIn(value: Uint8Array): Acknowledgement | null {
  if (value.length > acknowledgementBytesMax) return null
  const decoded = decodeMessage(acknowledgement, value)
  return 'invalid' in decoded ? null : decoded.message
}

/** Both ends are included. */
interface Run {
  readonly from: number
  readonly to: number
}

/**
 * Messages of a topic of dead letters that nobody needs to look at; what came since is read on.
 * They are kept as runs: an acknowledgement may name very many messages.
 */
export class SettledLetters {
  private readonly eventLog: EventLog
  private readonly topic: string
  /** Ascending, apart from each other. */
  private runs: readonly Run[] = []
  private readUpTo = 0

  constructor(eventLog: EventLog, topic: string) {
    this.eventLog = eventLog
    this.topic = deadLetterTopic(topic)
  }

  has(offset: number): boolean {
    let [low, high] = [0, this.runs.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.runs[middle]?.to ?? 0) < offset) low = middle + 1
      else high = middle
    }
    const run = this.runs[low]
    return run !== undefined && run.from <= offset
  }

  /** Reads what came since. @returns how many dead letters are not settled */
  async read(): Promise<number> {
    const begin = await this.eventLog.begin(this.topic)
    let found: Run[] = []
    for await (const { offset, value } of readMessages(this.eventLog, this.topic, this.readUpTo)) {
      this.readUpTo = offset + 1
      const said = acknowledgementIn(value)
      if (said === null) continue
      found.push({ from: offset, to: offset }, ...speaking(said, { begin, end: offset }))
      if (found.length < settledRunsMax) continue
      this.runs = joined([...this.runs, ...found], begin)
      found = []
    }
    this.runs = joined([...this.runs, ...found], begin)
    const end = Math.max(begin, this.readUpTo)
    return this.runs.reduce((open, { from, to }) => open - (to - from + 1), end - begin)
  }
}

/** An acknowledgement speaks of what was there before it. */
function speaking(
  { offsets }: Acknowledgement,
  { begin, end }: { readonly begin: number; readonly end: number },
): readonly Run[] {
  const clipped = offsets.map(({ from, to }) => ({
    from: Math.max(from, begin, end - settledMax),
    to: Math.min(to, end - 1),
  }))
  return clipped.filter(({ from, to }) => from <= to)
}

/** Runs that meet become one; what the topic no longer holds is left out. */
function joined(runs: readonly Run[], begin: number): readonly Run[] {
  const apart: Run[] = []
  for (const run of runs.toSorted((one, other) => one.from - other.from)) {
    if (run.to < begin) continue
    const from = Math.max(run.from, begin)
    const last = apart.at(-1)
    if (last === undefined || from > last.to + 1) apart.push({ from, to: run.to })
    else apart[apart.length - 1] = { from: last.from, to: Math.max(last.to, run.to) }
  }
  return apart.slice(-settledRunsMax)
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
  eventLog: EventLog,
  { topic, offset, now }: AcknowledgeOptions,
): Promise<readonly number[] | null> {
  const settled = new SettledLetters(eventLog, topic)
  await settled.read()
  const letters = deadLetterTopic(topic)
  const [begin, end] = await Promise.all([eventLog.begin(letters), eventLog.end(letters)])
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
  await eventLog.append(letters, [{ key: 'acknowledged', value: encodeMessage(said) }])
  return open
}
