import type { EventLog, StoredMessage } from '../../../libs/ports/event-log.ts'
import type { Store } from '../../../libs/ports/store.ts'
import { marksOf } from '../../../libs/queries/progress.ts'
import { progressOfTopic } from '../../../libs/tables/tables/progress.ts'
import { factVersion, offsetAfterVersion } from '../../../libs/topics/facts/fact-version.ts'
import { firstMarkOf, type ProgressRow, progressRows } from '../log-identity/marks.ts'
import type { FactOffsets } from './fact-offsets.ts'
import { fingerprintOf, messageAt, type Seen } from './fact-places.ts'

/**
 * The topic is not the one that the rows were folded from: the group determines its offsets again.
 */
export class TopicReplaced extends Error {
  override readonly name = 'TopicReplaced'
  readonly topics: ReadonlySet<string>

  constructor(topics: ReadonlySet<string>) {
    super(`another topic than before: ${[...topics].join(', ')}`)
    this.topics = topics
  }
}

interface SeenFactsOptions {
  readonly eventLog: EventLog
  readonly store: Store
  /** Interval of checks. */
  readonly everyMs: number
}

/**
 * What a topic contained at the last check. The check is repeated now and then, as a topic can be
 * recreated, and grow beyond our offset, while we wait for its next message.
 */
export class SeenFacts {
  readonly #options: SeenFactsOptions
  #seen = new Map<string, Seen>()
  #lookedAt = 0

  constructor(options: SeenFactsOptions) {
    this.#options = options
  }

  beginWith(seen: ReadonlyMap<string, Seen>): void {
    this.#seen = new Map(seen)
    this.#lookedAt = performance.now()
  }

  /** Now and then. @returns whether it has looked. @throws TopicReplaced */
  async look(): Promise<boolean> {
    if (performance.now() - this.#lookedAt < this.#options.everyMs) return false
    this.#lookedAt = performance.now()
    const others = await this.#others()
    if (others.size > 0) throw new TopicReplaced(others)
    return true
  }

  /**
   * To be written before any row of these messages: identifies topics that have no row yet.
   *
   * @param lasts by topic, the last message that was folded
   * @throws TopicReplaced before anything is written
   */
  async firstMarks(
    offsets: FactOffsets,
    lasts: ReadonlyMap<string, StoredMessage>,
  ): Promise<readonly ProgressRow[]> {
    if (await isRaisedElsewhere(this.#options.store, offsets)) throw new TopicReplaced(new Set())
    const hasLooked = await this.look()
    const unknown = [...lasts].filter(([topic]) => !this.#seen.has(topic))
    for (const [topic, message] of lasts) {
      // Until the next look it stays: a topic that is replaced meanwhile must not vouch for itself.
      if (!hasLooked && this.#seen.has(topic)) continue
      this.#seen.set(topic, { offset: message.offset, hash: fingerprintOf(message) })
    }
    return unknown.flatMap(([topic, message]) => {
      const { epoch } = offsetAfterVersion(offsets[topic] ?? 0)
      const position = factVersion({ epoch, offset: message.offset + 1 })
      const name = firstMarkOf(progressOfTopic(topic))
      return progressRows([name], { position, logHash: fingerprintOf(message) })
    })
  }

  /** Topics without their former messages: recreated, or no longer identifiable. */
  async #others(): Promise<ReadonlySet<string>> {
    const others = new Set<string>()
    for (const [topic, seen] of this.#seen) {
      const message = await messageAt(this.#options.eventLog, topic, seen.offset)
      const isSame = message !== null && message !== 'lost' && fingerprintOf(message) === seen.hash
      if (!isSame) others.add(topic)
    }
    return others
  }
}

/** Another instance has found a topic to be another one, and folds it again. */
async function isRaisedElsewhere(store: Store, places: FactOffsets): Promise<boolean> {
  const topics = Object.keys(places)
  const marks = await marksOf(store, topics.map(progressOfTopic))
  return topics.some((topic) => {
    const standing = offsetAfterVersion(marks.get(progressOfTopic(topic))?.position ?? 0)
    return standing.epoch > offsetAfterVersion(places[topic] ?? 0).epoch
  })
}
