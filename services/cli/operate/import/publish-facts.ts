import type { EventLog } from '../../../../libs/ports/event-log.ts'
import { StartupError } from '../../../../libs/signals/startup-error.ts'
import { encodeMessage } from '../../../../libs/topics/codec.ts'
import type { ImportedFact } from './imported.ts'
import type { FileFault } from './read-import.ts'

/** Faults in a message; the rest is counted. */
const faultsShownMax = 20

/**
 * @param otherwise what to do if the lines are not corrected
 * @throws StartupError with the lines, if there are any
 */
export function refuseFaults(faults: readonly FileFault[], otherwise: string): void {
  if (faults.length === 0) return
  throw new StartupError([...linesOf(faults), refusalOf(faults.length, otherwise)].join('\n'))
}

const refusalOf = (count: number, otherwise: string): string =>
  `Nothing was published: ${count === 1 ? 'a line is' : `${count} lines are`} invalid. ` +
  `Correct ${count === 1 ? 'it' : 'them'}, or ${otherwise}.`

/** `FILE:LINE: REASON`, bounded. */
export function linesOf(faults: readonly FileFault[]): readonly string[] {
  const shown = faults.slice(0, faultsShownMax)
  const lines = shown.map(({ file, line, reason }) => `${file}:${line}: ${reason}`)
  const more = faults.length - shown.length
  return more === 0 ? lines : [...lines, `and ${more} more`]
}

/** Messages of one append. */
const appendMessagesMax = 500

interface Publishing {
  readonly topic: string
  readonly facts: readonly ImportedFact[]
  /** Stops between two appends. */
  readonly signal: AbortSignal
}

/** @returns how many were published: fewer than all where it was interrupted */
export async function publishFacts(
  eventLog: EventLog,
  { topic, facts, signal }: Publishing,
): Promise<number> {
  let count = 0
  for (const [name, ofTopic] of byTopic(facts, topic)) {
    for (let at = 0; at < ofTopic.length && !signal.aborted; at += appendMessagesMax) {
      const some = ofTopic.slice(at, at + appendMessagesMax)
      await eventLog.append(
        name,
        some.map(({ key, message }) => ({ key, value: encodeMessage(message) })),
      )
      count += some.length
    }
  }
  return count
}

/** Facts that name no topic of their own are of `topic`. */
export function byTopic(
  facts: readonly ImportedFact[],
  topic: string,
): Map<string, ImportedFact[]> {
  const found = new Map<string, ImportedFact[]>()
  for (const fact of facts) {
    const name = fact.topic ?? topic
    const known = found.get(name)
    if (known === undefined) found.set(name, [fact])
    else known.push(fact)
  }
  return found
}
