import { Kafka, type KafkaConfig, type LogEntry, logLevel } from 'kafkajs'
import { LogUnavailable } from '../../ports/event-log.ts'
import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'
import type { KafkaLimits } from './kafka-limits.ts'

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
export function kafkaClient(place: KafkaConnection, limits: KafkaLimits, signals: Log): Kafka {
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
    logCreator: () => (entry) => toLog(signals, entry),
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
function toLog(signals: Log, { namespace, log }: LogEntry): void {
  const { message, broker, groupId, error } = log
  const fields = { event: events.log.clientMessage, namespace, broker, groupId, error }
  signals.debug(fields, `kafkajs, ${namespace}: ${message}`)
}

/** @throws LogUnavailable if the answer is not there in time; it may yet come, unheard */
export async function withCallTimeout<T>(
  timeoutMs: number,
  what: string,
  answer: Promise<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const tooLate = () => reject(new LogUnavailable(`${what} took more than ${timeoutMs} ms`))
    timer = setTimeout(tooLate, timeoutMs)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
