import { position } from '../../../libs/chain/position.ts'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import type { Log } from '../../../libs/signals/log.ts'
import { deadLettersOf } from '../../../libs/topics/dead-letters.ts'
import { letterJson, letterLine, lettersOf } from '../../operator/dead-letters.ts'
import { type Replayed, replayLetters } from '../../operator/replay-letters.ts'
import { factFolds } from '../../projector/fact-folds.ts'
import type { Run } from '../command.ts'
import { Refusal } from '../refusal.ts'
import { logOfCluster } from './log-of-cluster.ts'
import { operate, print } from './operate.ts'

type ListSettings = SettingsOf<'dead-letters list'>
type ReplaySettings = SettingsOf<'dead-letters replay'>

/** `foldscan dead-letters list` */
export const listDeadLetters: Run<'dead-letters list'> = (settings, { log: signals }) =>
  withLog(signals, settings, (log, topics) => list(log, topics, settings.json))

/** `foldscan dead-letters replay` */
export const replayDeadLetters: Run<'dead-letters replay'> = (settings, { log: signals }) => {
  const { topic, offset, all } = settings
  if (topic === null || (offset === null) !== all) {
    throw new Refusal('Name the dead letters: --offset of one, or --all.')
  }
  return withLog(signals, settings, (log) => replay(log, topic, settings))
}

const withLog = (
  signals: Log,
  settings: ListSettings,
  work: (log: EventLog, topics: readonly string[]) => Promise<void>,
): Promise<number> => {
  const topics = topicsOf(settings)
  return operate(signals, async (task) => {
    const all = topics.flatMap((topic) => [topic, deadLettersOf(topic)])
    await work(await logOfCluster(task, { settings, topics: all }), topics)
    return 0
  })
}

/** Topic blocks has none: a group that meets an invalid message waits for a valid one. */
function topicsOf({ topic }: Pick<ListSettings, 'topic'>): readonly string[] {
  const names = factFolds.map((fold) => fold.topic)
  if (topic === null || names.includes(topic)) return topic === null ? names : [topic]
  throw new Refusal(
    topic === 'blocks'
      ? 'Topic blocks has no dead letters: `foldscan repair` publishes what it lacks.'
      : `There is no topic ${topic} of facts: --topic is one of ${names.join(', ')}.`,
  )
}

async function list(log: EventLog, topics: readonly string[], isJson: boolean): Promise<void> {
  let count = 0
  for (const topic of topics) {
    for await (const letter of lettersOf(log, topic)) {
      count++
      const line = isJson ? JSON.stringify(letterJson(topic, letter)) : letterLine(topic, letter)
      await print(line)
    }
  }
  if (count === 0 && !isJson) await print('no dead letters')
}

async function replay(log: EventLog, topic: string, settings: ReplaySettings): Promise<void> {
  const { offset, force, json } = settings
  const done = await replayLetters({ topic, offset, isForced: force }, { log, invalidReason })
  const { replayed, refused } = done
  if (json) await print(JSON.stringify({ topic, ...done }))
  else await print(pageOf(topic, done))
  if (offset === null || replayed.length > 0) return
  const [{ because } = { because: 'it is not there (any more)' }] = refused
  throw new Refusal(`Letter ${offset} of ${topic} was not replayed: ${because}.`)
}

/** Null where it would be folded now. */
function invalidReason(topic: string, message: Uint8Array): string | null {
  const fold = factFolds.find((each) => each.topic === topic)
  const rows = fold?.rows(message, position(1))
  return rows && 'invalid' in rows ? rows.invalid : null
}

function pageOf(topic: string, { replayed, refused }: Replayed): string {
  const count = `replayed ${replayed.length} of ${replayed.length + refused.length} letters of ${topic}`
  const [first, last] = [replayed[0], replayed.at(-1)]
  const where = first && last ? `, offsets ${first.offset} to ${last.offset}` : ''
  return [
    count + where,
    ...refused.map(({ at, because }) => `letter ${at} not: ${because}`.replace(/\p{Cc}/gu, '·')),
  ].join('\n')
}
