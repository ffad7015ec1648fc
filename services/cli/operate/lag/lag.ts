import type { EventLog } from '../../../../libs/ports/event-log.ts'
import type { Store } from '../../../../libs/ports/store.ts'
import { marksOf, progressOf } from '../../../../libs/queries/progress.ts'
import { progressOfTopic } from '../../../../libs/tables/tables/progress.ts'
import { offsetAfterVersion } from '../../../../libs/topics/facts/fact-version.ts'
import { factTopicNames } from '../../../../libs/topics/topics.ts'
import { SettledLetters } from '../dead-letters/settled-letters.ts'
import { type TailOfBlocks, tailOfBlocks } from './tail-of-blocks.ts'

/** How far a group is. What is not known yet is null. */
interface GroupLag {
  readonly group: string
  /** Of the last rows that can be read; 0 before the first. */
  readonly position: number
  readonly block: number | null
  /** Of that block, in seconds; `ageSeconds` is since then. */
  readonly time: number | null
  readonly ageSeconds: number | null
  readonly messagesBehind: number | null
  readonly blocksBehind: number | null
}

interface TopicLag {
  readonly topic: string
  /** Offset that the next message will get. */
  readonly end: number
  /** Offset up to which the group has read, as it committed it; null before the first time. */
  readonly read: number | null
  readonly messagesBehind: number | null
  /** Messages of the topic that could not be folded, and that nobody has acknowledged. */
  readonly deadLetters: number
}

export interface Lag {
  readonly blocks: TailOfBlocks & { readonly ageSeconds: number | null }
  readonly groups: readonly GroupLag[]
  readonly dimensions: {
    /** Offsets of all fact topics whose rows can be read, added up. */
    readonly written: number
    readonly messagesBehind: number
    readonly topics: readonly TopicLag[]
  }
}

interface LagPorts {
  readonly eventLog: EventLog
  readonly store: Store
  /** Of the deployment; null if the tables do not name one. */
  readonly chainId: number | null
  /** Offset up to which the group of dimensions has read a topic. */
  readonly readOf: (topics: readonly string[]) => Promise<readonly (number | null)[]>
  /** In seconds. */
  readonly now: () => number
  /** Counts of dead letters; given by who looks again and again. */
  readonly letters?: OpenLetters
}

/** Dead letters of each topic that are not acknowledged; each message is read once. */
export class OpenLetters {
  private readonly eventLog: EventLog
  private readonly byTopic = new Map<string, SettledLetters>()

  constructor(eventLog: EventLog) {
    this.eventLog = eventLog
  }

  count(topic: string): Promise<number> {
    const settled = this.byTopic.get(topic) ?? new SettledLetters(this.eventLog, topic)
    this.byTopic.set(topic, settled)
    return settled.read()
  }
}

const onChain = ['ledger', 'state'] as const

/** How far every group is. @throws LogUnavailable, StoreUnavailable */
export async function lagOf({
  eventLog,
  store,
  chainId,
  readOf,
  now,
  ...of
}: LagPorts): Promise<Lag> {
  const { letters = new OpenLetters(eventLog) } = of
  // Groups first: one that moves meanwhile looks a little late, never early.
  const rows = await progressOf(store)
  const marks = await marksOf(store, factTopicNames.map(progressOfTopic))
  const read = await readOf(factTopicNames)
  const tail = await tailOfBlocks(eventLog, chainId)
  const facts = await Promise.all(
    factTopicNames.map((topic, at) => topicLag({ eventLog, letters }, topic, read[at])),
  )
  const ageOf = (time: number | null) => (time === null ? null : Math.max(0, now() - time))
  const groups = onChain.map((group) => {
    const {
      position = 0,
      blockNumber: block = null,
      timestamp: time = null,
    } = rows.get(group) ?? {}
    return {
      group,
      position,
      block,
      time,
      ageSeconds: ageOf(time),
      messagesBehind: behind(tail.position, position),
      blocksBehind: block === null ? null : behind(tail.block, block),
    }
  })
  const offsets = factTopicNames.map((topic) => {
    return offsetAfterVersion(marks.get(progressOfTopic(topic))?.position ?? 0).offset
  })
  const written = sumOf(offsets)
  const messagesBehind = sumOf(facts.map(({ end }, at) => Math.max(0, end - (offsets[at] ?? 0))))
  return {
    blocks: { ...tail, ageSeconds: ageOf(tail.time) },
    groups,
    dimensions: { written, messagesBehind, topics: facts },
  }
}

async function topicLag(
  { eventLog, letters }: { readonly eventLog: EventLog; readonly letters: OpenLetters },
  topic: string,
  read: number | null | undefined,
): Promise<TopicLag> {
  const [end, deadLetters] = await Promise.all([eventLog.end(topic), letters.count(topic)])
  const messagesBehind = read === null || read === undefined ? null : behind(end, read)
  return { topic, end, read: read ?? null, messagesBehind, deadLetters }
}

const behind = (end: number | null, at: number) => (end === null ? null : Math.max(0, end - at))

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)
