import type { EventLog } from '../../libs/ports/event-log.ts'
import type { Store } from '../../libs/ports/store.ts'
import { progressOf } from '../../libs/queries/progress.ts'
import { topics } from '../../libs/topics/topics.ts'
import { type TailOfBlocks, tailOfBlocks } from './tail-of-blocks.ts'

/** How far a group is. What nobody knows yet is null. */
export interface GroupLag {
  readonly group: string
  /** Position of the last rows that can be read; 0 before the first. */
  readonly position: number
  readonly block: number | null
  /** Of that block, in seconds; `ageSeconds` is since then. */
  readonly time: number | null
  readonly ageSeconds: number | null
  readonly messagesBehind: number | null
  readonly blocksBehind: number | null
}

export interface TopicLag {
  readonly topic: string
  /** Of the next message. */
  readonly end: number
  /** Up to which the group says that it has read; null if it has said nothing. */
  readonly read: number | null
  readonly behind: number | null
}

export interface Lag {
  readonly blocks: TailOfBlocks & { readonly ageSeconds: number | null }
  readonly groups: readonly GroupLag[]
  readonly dimensions: {
    /** Offsets of all topics of facts whose rows can be read. */
    readonly position: number
    readonly behind: number
    readonly topics: readonly TopicLag[]
  }
}

export interface LagPorts {
  readonly log: EventLog
  readonly store: Store
  /** Of the deployment; null if nobody has said. */
  readonly chainId: number | null
  /** Offset up to which the group of dimensions says that it has read a topic. */
  readonly readOf: (topics: readonly string[]) => Promise<readonly (number | null)[]>
  /** In seconds. */
  readonly now: () => number
}

const onChain = ['ledger', 'state'] as const
export const factTopics: readonly string[] = topics
  .filter(({ isCompacted }) => isCompacted)
  .map(({ name }) => name)

/** How far everybody is. @throws LogUnavailable, StoreUnavailable */
export async function lagOf({ log, store, chainId, readOf, now }: LagPorts): Promise<Lag> {
  // Groups first: whoever moves meanwhile looks a little late, never early.
  const rows = await progressOf(store)
  const read = await readOf(factTopics)
  const tail = await tailOfBlocks(log, chainId)
  const ends = await Promise.all(factTopics.map((topic) => log.end(topic)))
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
      messagesBehind: behind(tail.sequence, position),
      blocksBehind: block === null ? null : behind(tail.block, block),
    }
  })
  const folded = rows.get('dimensions')?.position ?? 0
  return {
    blocks: { ...tail, ageSeconds: ageOf(tail.time) },
    groups,
    dimensions: {
      position: folded,
      behind: Math.max(0, ends.reduce((sum, end) => sum + end, 0) - folded),
      topics: factTopics.map((topic, at) => {
        const [end = 0, until = null] = [ends[at], read[at]]
        return { topic, end, read: until, behind: until === null ? null : Math.max(0, end - until) }
      }),
    },
  }
}

const behind = (end: number | null, at: number) => (end === null ? null : Math.max(0, end - at))
