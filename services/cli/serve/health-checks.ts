import type { Availability } from '../../../libs/adapters/clickhouse/availability.ts'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import type { IngestorStatus } from '../../ingestor/running-ingestor.ts'
import type { Projector } from '../../projector/projector.ts'
import type { Check, Reason } from './health.ts'

/** Time limit of one health query to a server, and lifetime of its result. */
const askTimeoutMs = 2_000

/** Fetches an offset from the brokers. */
export const kafkaCheck = (log: EventLog, topic: string): Check =>
  cachedCheck('kafka-away', () => log.end(topic))

/** Known from queries, inserts and pings, which are sent anyway. */
export const clickhouseCheck =
  (availability: Availability): Check =>
  () => {
    const { error } = availability
    return error === null ? null : { reason: 'clickhouse-away', sentence: error.message }
  }

/** One query at a time; its result is cached, however often health is requested. */
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

/** Why an ingestor makes no progress: the log is unavailable, or the node fails. */
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

/** Whether a group is stuck or behind. */
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
