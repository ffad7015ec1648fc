import type { EventLog, LogMessage } from '../../../../libs/ports/event-log.ts'
import { pause } from '../../../../libs/signals/pause.ts'
import type { DeadLetter } from '../../../../libs/topics/topics.ts'
import { readDeadLetters } from './read-dead-letters.ts'
import { readMessages } from './read-messages.ts'

export interface ReplayOptions {
  readonly topic: string
  /** Of one dead letter in its topic; null for all that are not acknowledged. */
  readonly offset: number | null
  /** Also what is still invalid, or older than what the topic has of its key. */
  readonly isForced: boolean
}

interface ReplayPorts {
  readonly eventLog: EventLog
  /** Why a message of the topic cannot be folded; null if it can. */
  readonly invalidReason: (topic: string, message: Uint8Array) => string | null
}

export interface RefusedLetter {
  /** Of the dead letter. */
  readonly offset: number
  readonly because: string
}

interface ReplayedLetter {
  /** Of the dead letter. */
  readonly offset: number
  /** Of the message in its topic, published again. */
  readonly publishedOffset: number
}

interface Replayed {
  readonly replayed: readonly ReplayedLetter[]
  readonly refused: readonly RefusedLetter[]
}

/** Letters and their bytes are held in memory while they are judged and published again. */
const lettersMax = 10_000
const lettersBytesMax = 128 * 1024 * 1024
const appendMessagesMax = 100
const appendBytesMax = 1024 * 1024

interface Held {
  readonly at: number
  readonly letter: DeadLetter
  readonly message: Buffer
}

/**
 * Publishes dead letters again, with key, value and headers as they were, in their first order. A
 * message with two dead letters is published once; so is one whose replay is repeated, because the
 * topic has it then.
 *
 * @throws if there are more than may be held, before anything is published; LogUnavailable, after
 * which some may have been: the same command goes on with the others
 */
export async function replayLetters(options: ReplayOptions, ports: ReplayPorts): Promise<Replayed> {
  const { held, refused } = await heldLetters(options, ports.eventLog)
  const able = options.isForced ? held : await ableOf(held, options, { ...ports, refused })
  const replayed: ReplayedLetter[] = []
  for (const run of runsOf(able)) {
    const offsets = await ports.eventLog.append(options.topic, run.map(published))
    for (const [at, one] of run.entries()) {
      replayed.push({ offset: one.at, publishedOffset: offsets[at] ?? -1 })
    }
  }
  return { replayed, refused: refused.sort((one, other) => one.offset - other.offset) }
}

const published = ({ letter: { key, headers }, message }: Held): LogMessage => ({
  key,
  value: message,
  ...(Object.keys(headers).length === 0 ? {} : { headers }),
})

/** The letters to replay, in the order of their messages. */
async function heldLetters({ topic, offset }: ReplayOptions, eventLog: EventLog) {
  const byMessage = new Map<number, Held>()
  const refused: RefusedLetter[] = []
  let bytes = 0
  for await (const stored of readDeadLetters(eventLog, topic)) {
    const { offset: at, letter, unreadable, isAcknowledged } = stored
    if (offset === null ? isAcknowledged : at !== offset) continue
    if (letter === null)
      refused.push({ offset: at, because: `it is not a dead letter: ${unreadable}` })
    else if (letter.topic !== topic) {
      refused.push({ offset: at, because: `it is of topic ${letter.topic}` })
    } else if (!byMessage.has(letter.offset)) {
      const message = Buffer.from(letter.message, 'base64')
      bytes += message.length
      if (byMessage.size === lettersMax || bytes > lettersBytesMax) throw tooMany(topic)
      byMessage.set(letter.offset, { at, letter, message })
    }
  }
  const held = [...byMessage.values()].sort((one, other) => one.letter.offset - other.letter.offset)
  return { held, refused }
}

const tooMany = (topic: string) =>
  new Error(
    `${topic} has more than ${lettersMax} dead letters or ${lettersBytesMax} bytes of them: nothing ` +
      'was replayed; replay them one by one with --offset',
  )

/** Those that would be folded, and would not take the place of something newer. */
async function ableOf(
  held: readonly Held[],
  { topic }: ReplayOptions,
  { eventLog, invalidReason, refused }: ReplayPorts & { readonly refused: RefusedLetter[] },
): Promise<readonly Held[]> {
  const valid = held.filter(({ at, message }) => {
    const error = invalidReason(topic, message)
    if (error !== null) refused.push({ offset: at, because: `it is still invalid: ${error}` })
    return error === null
  })
  const [oldest] = valid
  if (oldest === undefined) return []
  const newest = new Map(valid.map(({ letter: { key, offset } }) => [key, offset]))
  for await (const { offset, key, value } of readMessages(
    eventLog,
    topic,
    oldest.letter.offset + 1,
  )) {
    if ((newest.get(key) ?? offset) >= offset) continue
    if (invalidReason(topic, value) === null) newest.set(key, offset)
  }
  return valid.filter(({ at, letter: { key, offset } }) => {
    const newer = newest.get(key) ?? offset
    if (newer > offset && !valid.some(({ letter }) => letter.offset === newer)) {
      const because = `the topic has a newer message of key ${key} at offset ${newer}`
      refused.push({ offset: at, because })
      return false
    }
    return true
  })
}

function* runsOf(held: readonly Held[]): Generator<readonly Held[]> {
  let run: Held[] = []
  let bytes = 0
  for (const one of held) {
    if (
      run.length === appendMessagesMax ||
      (run.length > 0 && bytes + one.message.length > appendBytesMax)
    ) {
      yield run
      run = []
      bytes = 0
    }
    run.push(one)
    bytes += one.message.length
  }
  if (run.length > 0) yield run
}

interface FollowOptions {
  readonly topic: string
  readonly replayed: readonly ReplayedLetter[]
  /** End of the topic of dead letters before the replay. */
  readonly lettersFrom: number
  readonly waitMs: number
}

interface FollowPorts {
  readonly eventLog: EventLog
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
  { eventLog, foldedUpTo, signal }: FollowPorts,
): Promise<readonly FollowedLetter[]> {
  const last = Math.max(-1, ...replayed.map(({ publishedOffset }) => publishedOffset))
  const deadline = performance.now() + waitMs
  for (;;) {
    // Before the letters: one that dies is appended before the group's offset moves.
    const upTo = (await foldedUpTo()) ?? 0
    const dead = await deadAgain(eventLog, topic, lettersFrom)
    const followed = replayed.map((one) => outcomeOf(one, dead.get(one.publishedOffset), upTo))
    const isKnown = followed.every(({ outcome }) => outcome !== 'unknown')
    if (isKnown || upTo > last || performance.now() > deadline || signal.aborted) return followed
    await pause(pollIntervalMs, signal)
  }
}

interface DeadAgain {
  readonly offset: number
  readonly error: string
}

/** By the offset of its message, each letter that was added. */
async function deadAgain(eventLog: EventLog, topic: string, from: number) {
  const dead = new Map<number, DeadAgain>()
  for await (const { offset, letter } of readDeadLetters(eventLog, topic, from)) {
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
