import type { Availability } from '../../../libs/adapters/clickhouse/availability.ts'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import type { IngestorStatus } from '../../ingestor/running-ingestor.ts'
import type { Projector } from '../../projector/projector.ts'
import type { Check, Reason } from './health.ts'

/** Whoever asks about health waits at most this long for a server, and asks it as often at most. */
const askTimeoutMs = 2_000

/** Asks the brokers for something small. */
export const kafkaCheck = (log: EventLog, topic: string): Check =>
  cachedCheck('kafka-away', () => log.end(topic))

/** Known from queries, inserts and pings, which are sent anyway. */
export const clickhouseCheck =
  (availability: Availability): Check =>
  () => {
    const { error } = availability
    return error === null ? null : { reason: 'clickhouse-away', sentence: error.message }
  }

/** One question at a time, and its outcome until it is old, however often health is asked. */
export function cachedCheck(reason: string, question: () => Promise<unknown>): Check {
  let last: { at: number; outcome: Promise<Reason | null> } | null = null
  return () => {
    if (last === null || Date.now() - last.at > askTimeoutMs) {
      last = { at: Date.now(), outcome: outcomeOf(reason, question) }
    }
    return last.outcome
  }
}

async function outcomeOf(reason: string, question: () => Promise<unknown>): Promise<Reason | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const sentence = `no answer within ${askTimeoutMs} ms`
    timer = setTimeout(() => reject(new Error(sentence)), askTimeoutMs)
  })
  try {
    await Promise.race([question(), late])
    return null
  } catch (error) {
    return { reason, sentence: error instanceof Error ? error.message : String(error) }
  } finally {
    clearTimeout(timer)
  }
}

/** Why an ingestor does not go on: the log that it writes is away, or the node is in trouble. */
export const ingestorCheck =
  (ingestor: { readonly status: () => Pick<IngestorStatus, 'trouble'> }): Check =>
  () => {
    const { trouble } = ingestor.status()
    if (trouble === null) return null
    return trouble.kind === 'log-unavailable'
      ? { reason: 'kafka-away', sentence: `the log is unavailable: ${trouble.sentence}` }
      : { reason: 'node-away', sentence: trouble.sentence }
  }

/** Messages behind the log's end from which a group counts as catching up. */
const behindMax = 64

/** Whether a group does what it is there for. */
export const groupCheck =
  (projector: Pick<Projector, 'status'>): Check =>
  () => {
    const { group, stuck, behind, position } = projector.status()
    if (stuck !== null) {
      const sentence =
        `${group} waits for a valid message ${stuck.sequence}: the one at offset ` +
        `${stuck.offset} is ${stuck.reason} (${stuck.detail})`
      return { reason: 'stuck', sentence }
    }
    if (behind <= behindMax) return null
    return { reason: 'behind', sentence: `${group} is at ${position}, ${behind} messages behind` }
  }
