import { position } from '../../../libs/chain/position.ts'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { deadLettersOf } from '../../../libs/topics/dead-letters.ts'
import { letterJson, letterLine, lettersOf } from '../../operator/dead-letters.ts'
import { type Replayed, replayLetters } from '../../operator/replay-letters.ts'
import { factFolds } from '../../projector/fact-folds.ts'
import { Refusal } from '../refusal.ts'
import { logOfCluster } from './log-of-cluster.ts'
import { operate, print } from './operate.ts'

type LetterSettings = SettingsOf<'dead-letters'>

/** `foldscan dead-letters list | replay` */
export async function operateDeadLetters(
  settings: LetterSettings,
  [action]: readonly string[],
): Promise<void> {
  const topics = topicsOf(settings)
  if (action === 'list') refuseOfReplay(settings)
  else refuseUnclear(settings)
  await operate(settings, async (desk) => {
    const log = await logOfCluster(desk, {
      settings,
      topics: topics.flatMap((topic) => [topic, deadLettersOf(topic)]),
    })
    if (action === 'list') await list(log, topics, settings.json)
    else for (const topic of topics) await replay(log, topic, settings)
  })
}

/** Blocks have no dead letters: who reads one that does not count waits for the right one. */
function topicsOf({ topic }: LetterSettings): readonly string[] {
  const names = factFolds.map((fold) => fold.topic)
  if (topic === null || names.includes(topic)) return topic === null ? names : [topic]
  throw new Refusal(
    topic === 'blocks'
      ? 'Topic blocks has no dead letters: what does not count is published again by `foldscan repair`.'
      : `Topic ${topic} has no dead letters; those that have are ${names.join(', ')}.`,
  )
}

function refuseOfReplay({ offset, all, force }: LetterSettings): void {
  if (offset === null && !all && !force) return
  throw new Refusal('--offset, --all and --force are of `foldscan dead-letters replay`.')
}

function refuseUnclear({ topic, offset, all }: LetterSettings): void {
  if (topic !== null && (offset === null) === all) return
  throw new Refusal('Say which letters: --topic, and either --offset of one or --all.')
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

async function replay(log: EventLog, topic: string, settings: LetterSettings): Promise<void> {
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
