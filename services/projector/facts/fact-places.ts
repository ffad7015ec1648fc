import { createHash } from 'node:crypto'
import { type Hash, hash } from '../../../libs/chain/hex.ts'
import { type EventLog, OffsetLost, type StoredMessage } from '../../../libs/ports/event-log.ts'
import type { Store } from '../../../libs/ports/store.ts'
import { marksOfReplicas } from '../../../libs/queries/progress.ts'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import type { Row } from '../../../libs/tables/declare/table.ts'
import { type progress, progressOfTopic } from '../../../libs/tables/tables/progress.ts'
import { factVersion, offsetAfterVersion } from '../../../libs/topics/facts/fact-version.ts'
import { firstMarkOf, olderMarksOf, progressRows, writeProgress } from '../log-identity/marks.ts'
import type { FactOffsets } from './fact-offsets.ts'

type Mark = Row<typeof progress>

/** Identifies a message in any copy of its topic: hash of key, time and value. */
export function fingerprintOf({ key, value, time }: StoredMessage): Hash {
  const sum = createHash('sha256')
    .update(JSON.stringify([key, time ?? null]))
    .update(value)
  return hash(`0x${sum.digest('hex')}`)
}

const identifying = (reader: string): readonly string[] => [
  firstMarkOf(reader),
  ...olderMarksOf(reader),
]

interface PlacesOptions {
  readonly eventLog: EventLog
  readonly store: Store
  readonly log: Log
  readonly topics: readonly string[]
  /** Topics that are known to be others by now. */
  readonly others?: ReadonlySet<string>
}

interface Places {
  readonly offsets: FactOffsets
  /** By topic, the last message of it that has its rows: so the topic is known again. */
  readonly seen: ReadonlyMap<string, Seen>
}

/** A message by its place and what it is. */
export interface Seen {
  readonly offset: number
  readonly hash: Hash
}

/**
 * Where the group continues in each topic: after what its volume has folded, if the rows exist and
 * the topic is still the one that they were folded from. Else at the beginning; a replaced topic
 * gets an epoch of its own, whose rows win over all previous ones. That epoch is in the tables
 * before any row of it, so that all instances use the same.
 *
 * @param folded as stored in the volume
 */
export async function placesIn(options: PlacesOptions, folded: FactOffsets): Promise<Places> {
  const { store, topics } = options
  const readers = topics.map(progressOfTopic)
  const names = [...readers, ...readers.flatMap(identifying)]
  const marks = await marksOfReplicas(store, ['dimensions', ...names])
  const marked = readers.reduce((sum, reader) => sum + (marks.get(reader)?.position ?? 0), 0)
  // Tables older than marks have rows of unknown topics.
  const areUnmarked = marked < (marks.get('dimensions')?.position ?? 0)
  const places: Record<string, number> = {}
  const raised: string[] = []
  const seen = new Map<string, Seen>()
  for (const topic of topics) {
    const own = folded[topic] ?? 0
    const reader = progressOfTopic(topic)
    const newest = marks.get(reader)
    const older = identifying(reader).flatMap((name) => marks.get(name) ?? [])
    const all = newest === undefined ? older : [newest, ...older]
    const isSame = all.length === 0 ? !areUnmarked : await isTopicOf(options, topic, all)
    const standing = newest?.position ?? 0
    if (isSame) {
      places[topic] = await placeAfter(options, topic, { own, standing })
      if (newest?.logHash) seen.set(topic, seenBy(newest.position, newest.logHash))
    } else {
      const { epoch } = offsetAfterVersion(Math.max(own, ...all.map(({ position }) => position)))
      places[topic] = factVersion({ epoch: epoch + 1, offset: 0 })
      raised.push(topic)
    }
  }
  await raise(options, raised, places)
  return { offsets: places, seen }
}

const seenBy = (version: number, logHash: Hash): Seen => ({
  offset: offsetAfterVersion(version).offset - 1,
  hash: logHash,
})

/** Whether a topic still has a message that a mark names; newest marks are checked first. */
async function isTopicOf(
  { eventLog, others }: PlacesOptions,
  topic: string,
  marks: readonly Mark[],
): Promise<boolean> {
  if (others?.has(topic)) return false
  const { epoch } = offsetAfterVersion(Math.max(...marks.map(({ position }) => position)))
  const ofEpoch = marks
    .filter(({ position }) => offsetAfterVersion(position).epoch === epoch)
    .sort((one, other) => other.position - one.position)
    .flatMap(({ position, logHash }) => (logHash === null ? [] : [seenBy(position, logHash)]))
  // No row of the epoch was written: whatever is there now is what it begins with.
  if (ofEpoch.length === 0) return true
  for (const seen of ofEpoch) {
    const message = await messageAt(eventLog, topic, seen.offset)
    if (message === 'lost') return false
    // A message removed by compaction proves nothing.
    if (message !== null) return fingerprintOf(message) === seen.hash
  }
  return false
}

export async function messageAt(
  eventLog: EventLog,
  topic: string,
  offset: number,
): Promise<StoredMessage | null | 'lost'> {
  try {
    const [message] = await eventLog.read(topic, offset, { messagesMax: 1, bytesMax: 1 })
    return message?.offset === offset ? message : null
  } catch (error) {
    if (error instanceof OffsetLost) return 'lost'
    throw error
  }
}

/** Of a topic that is the same. A store that has lost rows gets all facts of it again. */
async function placeAfter(
  { eventLog, log }: PlacesOptions,
  topic: string,
  { own, standing }: { own: number; standing: number },
): Promise<number> {
  const { epoch } = offsetAfterVersion(standing)
  const mine = offsetAfterVersion(own)
  const isThere = mine.epoch === epoch && own <= standing
  const offset = isThere ? mine.offset : 0
  const begin = await eventLog.begin(topic)
  if (offset < begin && begin > 0 && offset > 0) {
    const fields = { event: events.projector.factsLost, topic, runbook: runbooks.kafkaUnavailable }
    const sentence = `messages ${offset} to ${begin - 1} of ${topic} were deleted before they were read`
    log.warn(fields, sentence)
  }
  return factVersion({ epoch, offset: Math.max(offset, begin) })
}

async function raise(
  { store, log }: PlacesOptions,
  topics: readonly string[],
  places: FactOffsets,
): Promise<void> {
  if (topics.length === 0) return
  await writeProgress(
    store,
    topics.flatMap((topic) =>
      progressRows([progressOfTopic(topic)], { position: places[topic] ?? 0 }),
    ),
  )
  for (const topic of topics) {
    const { epoch } = offsetAfterVersion(places[topic] ?? 0)
    const fields = {
      event: events.projector.epochRaised,
      topic,
      epoch,
      runbook: runbooks.kafkaUnavailable,
    }
    log.warn(
      fields,
      `${topic} is not known to be the topic that the rows were made of: all of it is folded again, ` +
        `as epoch ${epoch}`,
    )
  }
}
