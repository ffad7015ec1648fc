import { setTimeout as pause } from 'node:timers/promises'
import type { EventLog } from '../../../../libs/ports/event-log.ts'
import { readDeadLetters } from './read-dead-letters.ts'
import type { ReplayedLetter } from './replay-letters.ts'

export interface FollowOptions {
  readonly topic: string
  readonly replayed: readonly ReplayedLetter[]
  /** End of the topic of dead letters before the replay. */
  readonly lettersFrom: number
  readonly waitMs: number
}

export interface FollowPorts {
  readonly log: EventLog
  /** Offset up to which the dimensions group has folded the topic; null if it has none yet. */
  readonly foldedUpTo: () => Promise<number | null>
  readonly signal: AbortSignal
}

export interface FollowedLetter extends ReplayedLetter {
  /** `unknown`: the group had not read it when the time was over. */
  readonly outcome: 'folded' | 'dead' | 'unknown'
  /** Of the new dead letter, where it is dead again. */
  readonly deadOffset: number | null
  readonly error: string | null
}

const pollIntervalMs = 250

/** Waits until each replayed letter is folded or dead again, for a bounded time. */
export async function followReplayed(
  { topic, replayed, lettersFrom, waitMs }: FollowOptions,
  { log, foldedUpTo, signal }: FollowPorts,
): Promise<readonly FollowedLetter[]> {
  const last = Math.max(-1, ...replayed.map(({ publishedOffset }) => publishedOffset))
  const deadline = performance.now() + waitMs
  for (;;) {
    // Before the letters: one that dies is appended before the group's offset moves.
    const upTo = (await foldedUpTo()) ?? 0
    const dead = await deadAgain(log, topic, lettersFrom)
    const followed = replayed.map((one) => outcomeOf(one, dead.get(one.publishedOffset), upTo))
    const isKnown = followed.every(({ outcome }) => outcome !== 'unknown')
    if (isKnown || upTo > last || performance.now() > deadline || signal.aborted) return followed
    await pause(pollIntervalMs, undefined, { signal }).catch(() => {})
  }
}

interface DeadAgain {
  readonly offset: number
  readonly error: string
}

/** By the offset of its message, each letter that was added. */
async function deadAgain(log: EventLog, topic: string, from: number) {
  const dead = new Map<number, DeadAgain>()
  for await (const { offset, letter } of readDeadLetters(log, topic, from)) {
    if (letter?.topic === topic) dead.set(letter.offset, { offset, error: letter.error })
  }
  return dead
}

function outcomeOf(
  one: ReplayedLetter,
  dead: DeadAgain | undefined,
  foldedUpTo: number,
): FollowedLetter {
  if (dead !== undefined) {
    return { ...one, outcome: 'dead', deadOffset: dead.offset, error: dead.error }
  }
  const outcome = foldedUpTo > one.publishedOffset ? 'folded' : 'unknown'
  return { ...one, outcome, deadOffset: null, error: null }
}
