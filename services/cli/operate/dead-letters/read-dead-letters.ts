import type { EventLog } from '../../../../libs/ports/event-log.ts'
import { decodeMessage } from '../../../../libs/topics/codec.ts'
import { type DeadLetter, deadLetter, deadLetterTopic } from '../../../../libs/topics/topics.ts'
import { readMessages } from './read-messages.ts'
import { acknowledgementIn, SettledLetters } from './settled-letters.ts'

/** A message of a topic of dead letters. */
export interface StoredDeadLetter {
  /** In the topic of dead letters; `--offset` of a replay. */
  readonly offset: number
  /** When it became a dead letter, in ms since 1970; null where the log does not record it. */
  readonly time: number | null
  /** Null if it is not a dead letter; then `unreadable` is the reason. */
  readonly letter: DeadLetter | null
  readonly unreadable: string | null
  readonly isAcknowledged: boolean
}

/**
 * The dead letters of a topic, oldest first, a bounded run at a time, acknowledged ones too.
 * @throws LogUnavailable
 */
export async function* readDeadLetters(
  eventLog: EventLog,
  topic: string,
  from = 0,
): AsyncGenerator<StoredDeadLetter> {
  const settled = new SettledLetters(eventLog, topic)
  await settled.read()
  for await (const stored of readMessages(eventLog, deadLetterTopic(topic), from)) {
    const { offset, time = null, value } = stored
    if (acknowledgementIn(value) !== null) continue
    const decoded = decodeMessage(deadLetter, value)
    const found =
      'invalid' in decoded
        ? { letter: null, unreadable: decoded.invalid }
        : { letter: decoded.message, unreadable: null }
    yield { offset, time, ...found, isAcknowledged: settled.has(offset) }
  }
}

const shownCharactersMax = 1_000

/** A dead letter for people, some lines long. */
export function deadLetterText(
  topic: string,
  { offset, time, letter, unreadable, isAcknowledged }: StoredDeadLetter,
) {
  const died = time === null ? '' : `, since ${moment(time)}`
  const heading = `${topic} dead letter at offset ${offset}${died}${isAcknowledged ? ', acknowledged' : ''}`
  if (letter === null)
    return [heading, `  not a dead letter: ${shown(unreadable ?? '')}`].join('\n')
  const value = Buffer.from(letter.message, 'base64')
  const sent = letter.time === null ? '' : `, published ${moment(letter.time)}`
  const headers = Object.entries(letter.headers).map(([name, text]) => `${name}=${text}`)
  return [
    heading,
    `  reason   ${letter.reason}: ${shown(letter.error)}`,
    `  message  offset ${letter.offset}, key ${shown(letter.key)}${sent}`,
    ...(headers.length === 0 ? [] : [`  headers  ${shown(headers.join(', '))}`]),
    `  value    ${shown(textOf(value) ?? `base64 ${letter.message}`)} (${value.length} bytes)`,
  ].join('\n')
}

/** The same for programs. The value is whole: text, or base64 where it is not UTF-8. */
export function deadLetterJson(
  topic: string,
  { offset, time, letter, unreadable, isAcknowledged }: StoredDeadLetter,
) {
  const place = {
    ...{ topic, offset, time: time === null ? null : moment(time) },
    ...(isAcknowledged ? { acknowledged: true } : {}),
  }
  if (letter === null) return { ...place, unreadable }
  const text = textOf(Buffer.from(letter.message, 'base64'))
  return {
    ...place,
    reason: letter.reason,
    error: letter.error,
    message: {
      offset: letter.offset,
      key: letter.key,
      time: letter.time === null ? null : moment(letter.time),
      headers: letter.headers,
      ...(text === null ? { valueBase64: letter.message } : { value: text }),
    },
  }
}

/** A bounded length of it. Strangers wrote it: it must not control a terminal. */
function shown(text: string): string {
  const isLong = text.length > shownCharactersMax
  return escaped(text.slice(0, shownCharactersMax)) + (isLong ? '…' : '')
}

/** Control characters, those that change the direction of text, and line ends, as `\u{...}`. */
export const escaped = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )

function textOf(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** A publisher may have set any time. */
function moment(milliseconds: number): string {
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) ? `${milliseconds} ms` : date.toISOString()
}
