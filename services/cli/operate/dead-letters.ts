import { groupOffsets } from '../../../libs/adapters/kafka/offsets.ts'
import { position } from '../../../libs/chain/position.ts'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import type { Log } from '../../../libs/signals/log.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import { groupId } from '../../../libs/tables/declare/group-versions.ts'
import { deadLetterTopic } from '../../../libs/topics/topics.ts'
import { factFolds } from '../../projector/facts/fact-folds.ts'
import type { Run } from '../command.ts'
import { consumerGroup, kafkaConnection } from '../serve/servers/open-kafka.ts'
import {
  deadLetterJson,
  deadLetterText,
  escaped,
  readDeadLetters,
} from './dead-letters/read-dead-letters.ts'
import {
  type FollowedLetter,
  followReplayed,
  type RefusedLetter,
  replayLetters,
} from './dead-letters/replay-letters.ts'
import { acknowledgeLetters } from './dead-letters/settled-letters.ts'
import { openClusterLog, print, runTask } from './run-task.ts'

type ListSettings = SettingsOf<'dead-letters list'>
type ReplaySettings = SettingsOf<'dead-letters replay'>

/** `foldscan dead-letters list` */
export const listDeadLetters: Run<'dead-letters list'> = (settings, { log }) =>
  withLog(log, settings, async (eventLog, { topics }) => {
    let count = 0
    for (const topic of topics) {
      for await (const letter of readDeadLetters(eventLog, topic)) {
        if (letter.isAcknowledged && !settings.all) continue
        count++
        const isJson = settings.json
        await print(
          isJson ? JSON.stringify(deadLetterJson(topic, letter)) : deadLetterText(topic, letter),
        )
      }
    }
    if (count === 0 && !settings.json) await print('no dead letters')
    return 0
  })

/** `foldscan dead-letters acknowledge` */
export const acknowledgeDeadLetters: Run<'dead-letters acknowledge'> = (settings, { log }) => {
  const { topic, offset } = namedLetters(settings)
  return withLog(log, settings, async (letters) => {
    const acknowledged = await acknowledgeLetters(letters, { topic, offset, now: Date.now() })
    if (acknowledged === null) {
      throw new StartupError(`There is no dead letter at offset ${offset} of ${topic}.`)
    }
    if (settings.json) await print(JSON.stringify({ topic, acknowledged }))
    else await print(acknowledgedText(topic, acknowledged.length))
    return 0
  })
}

const acknowledgedText = (topic: string, count: number): string =>
  count === 0
    ? `nothing to acknowledge: no dead letter of ${topic} is open`
    : `acknowledged ${count} dead letter${count === 1 ? '' : 's'} of ${topic}`

/** @throws StartupError unless one letter or all are named */
function namedLetters({ topic, offset, all }: Pick<ReplaySettings, 'topic' | 'offset' | 'all'>) {
  if (topic !== null && (offset === null) === all) return { topic, offset }
  throw new StartupError('Name the dead letters: --offset of one, or --all.')
}

/** `foldscan dead-letters replay` */
export const replayDeadLetters: Run<'dead-letters replay'> = (settings, { log }) => {
  const { force: isForced } = settings
  const { topic, offset } = namedLetters(settings)
  return withLog(log, settings, async (eventLog, { signal }) => {
    const lettersFrom = await eventLog.end(deadLetterTopic(topic))
    const done = await replayLetters({ topic, offset, isForced }, { eventLog, invalidReason })
    const { replayed, refused } = done
    if (offset !== null && replayed.length === 0)
      throw new StartupError(notReplayed(topic, offset, refused))
    const waitMs = settings.waitSeconds * 1_000
    const foldedUpTo = () => foldedOffset(settings, topic, log)
    const following = { topic, replayed, lettersFrom, waitMs }
    const followed =
      replayed.length === 0 ? [] : await followReplayed(following, { eventLog, foldedUpTo, signal })
    if (settings.json) await print(JSON.stringify({ topic, replayed: followed, refused }))
    else await print(replayText(topic, followed, refused))
    return followed.every(({ outcome }) => outcome === 'folded') ? 0 : 1
  })
}

interface Opened {
  readonly topics: readonly string[]
  readonly signal: AbortSignal
}

const withLog = (
  log: Log,
  settings: SettingsOf<'dead-letters list' | 'dead-letters acknowledge'>,
  work: (eventLog: EventLog, opened: Opened) => Promise<number>,
): Promise<number> => {
  const topics = topicsOf(settings)
  return runTask(log, async (task) => {
    const all = topics.flatMap((topic) => [topic, deadLetterTopic(topic)])
    const eventLog = await openClusterLog(task, { settings, topics: all })
    return work(eventLog, { topics, signal: task.signal })
  })
}

/** Topic blocks has none: a group that reads an invalid message waits for a valid one. */
function topicsOf({ topic }: Pick<ListSettings, 'topic'>): readonly string[] {
  const names = factFolds.map((fold) => fold.topic)
  if (topic === null || names.includes(topic)) return topic === null ? names : [topic]
  throw new StartupError(
    topic === 'blocks'
      ? 'Topic blocks has no dead letters: `foldscan repair` publishes missing messages.'
      : `There is no topic ${topic} of facts: --topic is one of ${names.join(', ')}.`,
  )
}

/** Null where it would be folded now. */
function invalidReason(topic: string, message: Uint8Array): string | null {
  const fold = factFolds.find((each) => each.topic === topic)
  const folded = fold?.fold(message, position(1))
  return folded && 'invalid' in folded ? folded.invalid : null
}

/** Offset up to which the group of dimensions has folded a topic, as it committed it. */
async function foldedOffset(
  settings: ReplaySettings,
  topic: string,
  log: Log,
): Promise<number | null> {
  const group = {
    groupId: consumerGroup(settings, groupId('dimensions'), topic),
    topic: settings.kafkaTopicPrefix + topic,
  }
  const [offset = null] = await groupOffsets({ place: kafkaConnection(settings), log }, [group])
  return offset
}

function notReplayed(topic: string, offset: number, [first]: readonly RefusedLetter[]): string {
  const because = first?.because ?? 'there is none at this offset'
  return `The dead letter at offset ${offset} of ${topic} was not replayed: ${because}.`
}

function replayText(
  topic: string,
  followed: readonly FollowedLetter[],
  refused: readonly RefusedLetter[],
): string {
  const count = followed.length + refused.length
  return [
    `replayed ${followed.length} of ${count} dead letters of ${topic}`,
    ...followed.map(followedText),
    ...refused.map(({ offset, because }) => `offset ${offset} was not replayed: ${because}`),
  ]
    .map(escaped)
    .join('\n')
}

function followedText({ offset, publishedOffset, outcome, deadOffset, error }: FollowedLetter) {
  const replayed = `offset ${offset} was published again at offset ${publishedOffset}`
  switch (outcome) {
    case 'folded':
      return `${replayed}: folded`
    case 'dead':
      return `${replayed}: a dead letter again, at offset ${deadOffset}: ${error}`
    case 'unknown':
      return `${replayed}: not folded yet; does a projector of group dimensions run?`
  }
}
