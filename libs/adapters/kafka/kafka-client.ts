import { Kafka, type KafkaConfig, type LogEntry, logLevel } from 'kafkajs'
import pTimeout from 'p-timeout'
import { LogUnavailable } from '../../ports/event-log.ts'
import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'

export interface KafkaConnection {
  /** Bootstrap brokers, `host:port`. */
  readonly brokers: readonly string[]
  readonly clientId: string
  /** CA certificate of the brokers as PEM; null if publicly trusted. */
  readonly tls: { readonly ca: string | null } | null
  readonly sasl: KafkaCredentials | null
}

export interface KafkaCredentials {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
  readonly username: string
  readonly password: string
}

/** A kafkajs client that logs through our logger. */
export function kafkaClient(place: KafkaConnection, limits: KafkaLimits, log: Log): Kafka {
  const { brokers, clientId, tls, sasl } = place
  const config: KafkaConfig = {
    brokers: [...brokers],
    clientId,
    connectionTimeout: limits.connectTimeoutMs,
    authenticationTimeout: limits.requestTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    enforceRequestTimeout: true,
    retry: retryOf(limits),
    logLevel: logLevel.INFO,
    logCreator: () => (entry) => toLog(log, entry),
  }
  if (tls !== null) config.ssl = tls.ca === null ? true : { ca: [tls.ca] }
  if (sasl !== null) config.sasl = saslOf(sasl)
  return new Kafka(config)
}

/** Explicit, because kafkajs has other defaults if NODE_ENV is `test`. */
export const retryOf = (limits: KafkaLimits) => ({
  retries: limits.requestAttemptsMax - 1,
  initialRetryTime: limits.retryMs,
  maxRetryTime: limits.retryMaxMs,
  multiplier: 2,
  factor: 0.2,
})

function saslOf({ mechanism, username, password }: KafkaCredentials): KafkaConfig['sasl'] {
  switch (mechanism) {
    case 'plain':
      return { mechanism: 'plain', username, password }
    case 'scram-sha-256':
      return { mechanism: 'scram-sha-256', username, password }
    case 'scram-sha-512':
      return { mechanism: 'scram-sha-512', username, password }
  }
}

/** Level debug: kafkajs logs retried errors, and callers report final ones. */
function toLog(log: Log, { namespace, log: entry }: LogEntry): void {
  const { message, broker, groupId, error } = entry
  const fields = { event: events.log.clientMessage, namespace, broker, groupId, error }
  log.debug(fields, `kafkajs, ${namespace}: ${message}`)
}

/** @throws LogUnavailable if the answer is not there in time; a late one is ignored */
export const withCallTimeout = <T>(
  timeoutMs: number,
  what: string,
  answer: Promise<T>,
): Promise<T> =>
  pTimeout(answer, {
    milliseconds: timeoutMs,
    message: new LogUnavailable(`${what} took more than ${timeoutMs} ms`),
  })

/** Limits of the log on Kafka. Units are last in each name. */
export interface KafkaLimits {
  readonly connectTimeoutMs: number
  /** Time limit of one request. */
  readonly requestTimeoutMs: number
  /** Attempts of one request. */
  readonly requestAttemptsMax: number
  readonly retryMs: number
  readonly retryMaxMs: number
  /** Time limit of one call with all its retries; then LogUnavailable. */
  readonly callTimeoutMs: number
  /** Time limit of a read until its first message; includes joining the group. */
  readonly readTimeoutMs: number
  /** Size of one record batch before compression; a larger message is sent alone. */
  readonly batchBytesMax: number
  /** Smaller batches are not compressed. */
  readonly compressedBytesMin: number
  /** Size of one fetch, compressed; brokers return at least one batch, even if larger. */
  readonly fetchBytesMax: number
  /**
   * The same of compacted topics, above their greatest message: where the first batch of an answer
   * was emptied by compaction and the second is cut off, kafkajs asks for the same offset for ever.
   */
  readonly compactedFetchBytesMax: number
  /** Maximum wait of a fetch while there is no message. */
  readonly fetchWaitMs: number
  /** Read-ahead for each topic, uncompressed, in addition to one fetch. */
  readonly aheadBytesMax: number
  /** A member without heartbeats for this time loses its partition. */
  readonly sessionTimeoutMs: number
  readonly heartbeatIntervalMs: number
  readonly rebalanceTimeoutMs: number
  /** Interval of offset commits, which are for monitoring only. */
  readonly commitIntervalMs: number
  /** A consumer that has not fetched for this time is recreated. */
  readonly stallTimeoutMs: number
  readonly closeTimeoutMs: number
}

/** What a client of its own is made of. */
export interface KafkaAccess {
  readonly place: KafkaConnection
  readonly log: Log
  readonly limits?: Partial<KafkaLimits>
}

export const kafkaLimits: KafkaLimits = {
  connectTimeoutMs: 3_000,
  requestTimeoutMs: 6_000,
  requestAttemptsMax: 4,
  retryMs: 100,
  retryMaxMs: 2_000,
  // A process that is stopped while the brokers are unavailable exits within ten seconds.
  callTimeoutMs: 8_000,
  readTimeoutMs: 8_000,
  batchBytesMax: 1024 * 1024,
  compressedBytesMin: 1024,
  fetchBytesMax: 1024 * 1024,
  // A message of 8 MiB with its header, behind 16,000 empty batches.
  compactedFetchBytesMax: 10 * 1024 * 1024,
  fetchWaitMs: 500,
  aheadBytesMax: 8 * 1024 * 1024,
  // The partition of a killed member is reassigned after this; needless rebalances are harmless.
  sessionTimeoutMs: 10_000,
  heartbeatIntervalMs: 1_000,
  rebalanceTimeoutMs: 15_000,
  commitIntervalMs: 5_000,
  stallTimeoutMs: 30_000,
  closeTimeoutMs: 5_000,
}

const timer32BitMaxMs = 2 ** 31 - 1

/** @throws if the limits contradict each other; each message contains the arithmetic. */
export function assertKafkaLimits(limits: KafkaLimits): void {
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || value < 1 || value > timer32BitMaxMs) {
      throw new Error(`${name} is ${value}: it must be a whole number above 0`)
    }
  }
  const { heartbeatIntervalMs, sessionTimeoutMs, fetchWaitMs, rebalanceTimeoutMs } = limits
  // A member beats between two answers; three beats must fit into a session.
  const beatMs = heartbeatIntervalMs + fetchWaitMs
  above('sessionTimeoutMs', sessionTimeoutMs, [
    '3 * (heartbeatIntervalMs + fetchWaitMs)',
    beatMs * 3,
  ])
  above('rebalanceTimeoutMs', rebalanceTimeoutMs, ['sessionTimeoutMs', sessionTimeoutMs])
  // A waiting fetch must not time out.
  above('requestTimeoutMs', limits.requestTimeoutMs, ['2 * fetchWaitMs', fetchWaitMs * 2])
  above('stallTimeoutMs', limits.stallTimeoutMs, ['rebalanceTimeoutMs', rebalanceTimeoutMs])
  const { fetchBytesMax, compactedFetchBytesMax } = limits
  above('compactedFetchBytesMax', compactedFetchBytesMax, ['fetchBytesMax', fetchBytesMax])
  above('callTimeoutMs', limits.callTimeoutMs, ['requestTimeoutMs', limits.requestTimeoutMs])
}

function above(name: string, value: number, [bound, atLeast]: readonly [string, number]): void {
  if (value < atLeast) throw new Error(`${name} is ${value}: below ${bound}, which is ${atLeast}`)
}
