import { Kafka, type KafkaConfig, type LogEntry, logLevel } from 'kafkajs'
import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'
import type { KafkaLimits } from './kafka-limits.ts'

export interface KafkaConnection {
  /** `host:port` of brokers to ask first; they name the others. */
  readonly brokers: readonly string[]
  readonly clientId: string
  /** PEM of who signed the brokers' certificates; null if a public authority did. */
  readonly tls: { readonly ca: string | null } | null
  readonly sasl: KafkaCredentials | null
}

export interface KafkaCredentials {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
  readonly username: string
  readonly password: string
}

/** A client of kafkajs that speaks through our log. */
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

/** Said in full: kafkajs takes other defaults where NODE_ENV is `test`. */
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

/** What kafkajs calls an error is often tried again: what counts, those who called say. */
function toLog(signals: Log, { namespace, log }: LogEntry): void {
  const { message, broker, groupId, error } = log
  const fields = { event: events.log.clientMessage, namespace, broker, groupId, error }
  signals.debug(fields, `kafkajs, ${namespace}: ${message}`)
}
