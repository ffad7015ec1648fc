import type { EventLog, StoredMessage } from '../../libs/ports/event-log.ts'
import { decodeMessage } from '../../libs/topics/codec.ts'
import { type DeadLetter, deadLetter, deadLettersOf } from '../../libs/topics/dead-letters.ts'

const limit = { messagesMax: 500, bytesMax: 4 * 1024 * 1024 }

/** A letter, or why what lies there is none. */
export interface Letter {
  /** Of the letter in its topic. */
  readonly at: number
  readonly letter: DeadLetter | null
  readonly unreadable: string | null
}

/** All messages of a topic that are there when it begins. @throws LogUnavailable */
export async function* messagesOf(
  log: EventLog,
  topic: string,
  from = 0,
): AsyncGenerator<StoredMessage> {
  const [begin, end] = await Promise.all([log.begin(topic), log.end(topic)])
  for (let offset = Math.max(begin, from); offset < end; ) {
    const read = await log.read(topic, offset, limit)
    const last = read.at(-1)
    if (last === undefined) return
    for (const message of read) if (message.offset < end) yield message
    offset = last.offset + 1
  }
}

/** The dead letters of a topic, oldest first, some at a time. @throws LogUnavailable */
export async function* lettersOf(log: EventLog, topic: string): AsyncGenerator<Letter> {
  for await (const { offset: at, value } of messagesOf(log, deadLettersOf(topic))) {
    const decoded = decodeMessage(deadLetter, value)
    if ('invalid' in decoded) yield { at, letter: null, unreadable: decoded.invalid }
    else yield { at, letter: decoded.message, unreadable: null }
  }
}

/** One line for people. Strangers wrote what stands in it: it may not steer a terminal. */
export const letterLine = (topic: string, letter: Letter): string =>
  wordsOf(topic, letter).replace(/\p{Cc}/gu, '·')

function wordsOf(topic: string, { at, letter, unreadable }: Letter): string {
  if (letter === null) return `${topic}  letter ${at}  is none: ${unreadable}`
  const { offset, key, reason, error } = letter
  return `${topic}  letter ${at}  message ${offset}  key ${key}  ${reason}: ${error}`
}

/** The same for programs. The message stays where it is: `replay` takes it from there. */
export const letterJson = (topic: string, { at, letter, unreadable }: Letter) =>
  letter === null
    ? { topic, letter: at, unreadable }
    : {
        topic,
        letter: at,
        message: letter.offset,
        key: letter.key,
        reason: letter.reason,
        error: letter.error,
        bytes: Buffer.byteLength(letter.message, 'base64'),
      }
