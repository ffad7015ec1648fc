import type { EventLog, LogMessage } from '../../libs/ports/event-log.ts'
import type { DeadLetter } from '../../libs/topics/dead-letters.ts'
import { lettersOf, messagesOf } from './dead-letters.ts'

export interface Replay {
  readonly topic: string
  /** Of one letter in its topic; null for all. */
  readonly offset: number | null
  /** Also what is still invalid, or older than what the topic has of its key. */
  readonly isForced: boolean
}

export interface ReplayPorts {
  readonly log: EventLog
  /** Why a message of the topic cannot be folded; null if it can. */
  readonly invalidReason: (topic: string, message: Uint8Array) => string | null
}

export interface Refused {
  readonly at: number
  readonly because: string
}

export interface Replayed {
  /** Of the letters that were said again, with their new place in the topic. */
  readonly replayed: readonly { readonly at: number; readonly offset: number }[]
  readonly refused: readonly Refused[]
}

/** Letters and their bytes are held in memory while they are judged and said again. */
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
 * Says dead letters again, as they came, in the order in which they came. A letter that is there
 * twice is said once. Said again by whoever repeats the command, it is refused: the topic has it.
 *
 * @throws if it is more than may be held, before anything is said; LogUnavailable, after which
 * some may have been said: the same command goes on with the others
 */
export async function replayLetters(wish: Replay, ports: ReplayPorts): Promise<Replayed> {
  const { held, refused } = await heldLetters(wish, ports.log)
  const able = wish.isForced ? held : await ableOf(held, wish, { ...ports, refused })
  const replayed: { at: number; offset: number }[] = []
  for (const run of runsOf(able)) {
    const messages = run.map(
      ({ letter, message }): LogMessage => ({ key: letter.key, value: message }),
    )
    const offsets = await ports.log.append(wish.topic, messages)
    for (const [at, one] of run.entries()) replayed.push({ at: one.at, offset: offsets[at] ?? -1 })
  }
  return { replayed, refused: refused.sort((one, other) => one.at - other.at) }
}

/** Those that are wanted, by their place in the topic. */
async function heldLetters({ topic, offset }: Replay, log: EventLog) {
  const byMessage = new Map<number, Held>()
  const refused: Refused[] = []
  let bytes = 0
  for await (const { at, letter, unreadable } of lettersOf(log, topic)) {
    if (offset !== null && at !== offset) continue
    if (letter === null) refused.push({ at, because: `it is no letter: ${unreadable}` })
    else if (letter.topic !== topic) {
      refused.push({ at, because: `it is of topic ${letter.topic}` })
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
    `more than ${lettersMax} letters or ${lettersBytesMax} bytes are dead in ${topic}: nothing was ` +
      'replayed; replay them one by one with --offset',
  )

/** Those that would be folded, and would not take the place of something newer. */
async function ableOf(
  held: readonly Held[],
  { topic }: Replay,
  { log, invalidReason, refused }: ReplayPorts & { readonly refused: Refused[] },
): Promise<readonly Held[]> {
  const valid = held.filter(({ at, message }) => {
    const error = invalidReason(topic, message)
    if (error !== null) refused.push({ at, because: `it is still invalid: ${error}` })
    return error === null
  })
  const [oldest] = valid
  if (oldest === undefined) return []
  const newest = new Map(valid.map(({ letter: { key, offset } }) => [key, offset]))
  for await (const { offset, key, value } of messagesOf(log, topic, oldest.letter.offset + 1)) {
    if ((newest.get(key) ?? offset) >= offset) continue
    if (invalidReason(topic, value) === null) newest.set(key, offset)
  }
  return valid.filter(({ at, letter: { key, offset } }) => {
    const newer = newest.get(key) ?? offset
    if (newer > offset && !valid.some(({ letter }) => letter.offset === newer)) {
      refused.push({ at, because: `the topic has a newer message of key ${key} at ${newer}` })
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
