import type { EventLog } from '../../../../libs/ports/event-log.ts'
import type { Store } from '../../../../libs/ports/store.ts'
import { marksOf, progressOf } from '../../../../libs/queries/progress.ts'
import { progressOfTopic } from '../../../../libs/tables/progress.ts'
import { offsetAfterVersion } from '../../../../libs/topics/fact-version.ts'
import { deadLetterTopic, factTopicNames } from '../../../../libs/topics/topics.ts'
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
  /** Messages of the topic that could not be folded, and are kept for inspection. */
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
  readonly log: EventLog
  readonly store: Store
  /** Of the deployment; null if the tables do not name one. */
  readonly chainId: number | null
  /** Offset up to which the group of dimensions has read a topic. */
  readonly readOf: (topics: readonly string[]) => Promise<readonly (number | null)[]>
  /** In seconds. */
  readonly now: () => number
}

const onChain = ['ledger', 'state'] as const

/** How far every group is. @throws LogUnavailable, StoreUnavailable */
export async function lagOf({ log, store, chainId, readOf, now }: LagPorts): Promise<Lag> {
  // Groups first: one that moves meanwhile looks a little late, never early.
  const rows = await progressOf(store)
  const marks = await marksOf(store, factTopicNames.map(progressOfTopic))
  const read = await readOf(factTopicNames)
  const tail = await tailOfBlocks(log, chainId)
  const facts = await Promise.all(factTopicNames.map((topic, at) => topicLag(log, topic, read[at])))
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
  log: EventLog,
  topic: string,
  read: number | null | undefined,
): Promise<TopicLag> {
  const letters = deadLetterTopic(topic)
  const [end, lettersBegin, lettersEnd] = await Promise.all([
    log.end(topic),
    log.begin(letters),
    log.end(letters),
  ])
  const messagesBehind = read === null || read === undefined ? null : behind(end, read)
  const deadLetters = lettersEnd - lettersBegin
  return { topic, end, read: read ?? null, messagesBehind, deadLetters }
}

const behind = (end: number | null, at: number) => (end === null ? null : Math.max(0, end - at))

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

type LagStatus = 'ok' | 'behind' | 'stuck'

interface LagLimits {
  /** More messages than this behind the end of a topic is `behind`. */
  readonly messagesMax: number
  /** An older newest block of a group is `behind`, too; null for any age. */
  readonly ageSecondsMax: number | null
}

/** Exit codes of `foldscan lag`; 1 is for a command that failed. */
export const lagExitCodes: Readonly<Record<LagStatus, number>> = { ok: 0, behind: 2, stuck: 3 }

/** `stuck` where no group can go on before another message is published, else `behind`. */
export function lagStatus({ blocks, groups, dimensions }: Lag, limits: LagLimits): LagStatus {
  if (blocks.ignored.length > 0) return 'stuck'
  const { messagesMax, ageSecondsMax } = limits
  const messages = [
    ...groups.map(({ messagesBehind }) => messagesBehind),
    dimensions.messagesBehind,
  ]
  const ages = groups.map(({ ageSeconds }) => ageSeconds)
  const isBehind = messages.some((count) => (count ?? 0) > messagesMax)
  const isOld = ages.some((age) => ageSecondsMax !== null && (age ?? 0) > ageSecondsMax)
  return isBehind || isOld ? 'behind' : 'ok'
}
