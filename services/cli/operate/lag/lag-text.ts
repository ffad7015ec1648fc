import { runbooks } from '../../../../libs/signals/runbooks.ts'
import { textTable } from '../text-table.ts'
import type { Lag } from './lag.ts'

/** Commands that the page names, complete with their settings. */
export interface LagCommands {
  /** Publishes messages from a position on. */
  readonly repair: (from: number) => string
  readonly listDeadLetters: string
}

/** The lag for people. */
export function lagText({ blocks, groups, dimensions }: Lag, commands: LagCommands): string {
  const { position, block, time, ageSeconds } = blocks
  const onChain = textTable(
    ['', 'position', 'block', 'time', 'age s', 'messages behind', 'blocks behind'],
    [
      ['published', position, block, moment(time), ageSeconds, null, null],
      ...groups.map((group) => [
        group.group,
        group.position,
        group.block,
        moment(group.time),
        group.ageSeconds,
        group.messagesBehind,
        group.blocksBehind,
      ]),
    ],
  )
  const facts = textTable(
    ['dimensions', 'end', 'read', 'messages behind', 'dead letters'],
    dimensions.topics.map(({ topic, end, read, messagesBehind, deadLetters }) => [
      topic,
      end,
      read,
      messagesBehind,
      deadLetters,
    ]),
  )
  return [onChain, ...warning(blocks, commands), facts, ...hint(dimensions, commands)].join('\n\n')
}

function warning({ position, ignored }: Lag['blocks'], { repair }: LagCommands): string[] {
  const [first] = ignored
  if (first === undefined) return []
  const next = (position ?? 0) + 1
  const waits =
    position === null
      ? `None of the last ${messages(ignored.length)} of topic blocks is accepted`
      : `Topic blocks waits for position ${next}: ${messages(ignored.length)} after ${position} ` +
        `${ignored.length === 1 ? 'was' : 'were'} ignored`
  return [
    `${waits}. The first, at offset ${first.offset}, is ${first.reason}: ${first.detail}.\n` +
      `A running ingestor publishes the missing messages. If none can run: \`${repair(next)}\`\n` +
      `See ${runbooks.stuck}.`,
  ]
}

const messages = (count: number) => `${count} message${count === 1 ? '' : 's'}`

function hint({ topics }: Lag['dimensions'], { listDeadLetters }: LagCommands): string[] {
  if (topics.every(({ deadLetters }) => deadLetters === 0)) return []
  return [`Dead letters: \`${listDeadLetters}\`. See ${runbooks.deadLetters}.`]
}

const moment = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
