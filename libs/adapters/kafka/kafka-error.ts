import { LogUnavailable } from '../../ports/event-log.ts'

/** Names of kafkajs for what passes by itself, though it calls some of it final. */
const passingNames: ReadonlySet<string> = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSBrokerNotFound',
  'KafkaJSNoBrokerAvailableError',
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSMetadataNotLoaded',
  'KafkaJSTopicMetadataNotLoaded',
  'KafkaJSTimeout',
  'KafkaJSLockTimeout',
])

/** Transient protocol errors, or ones that a reconnect resolves, that kafkajs does not retry. */
const passingTypes: ReadonlySet<string> = new Set([
  'UNKNOWN_TOPIC_OR_PARTITION',
  'NOT_LEADER_FOR_PARTITION',
  'NOT_CONTROLLER',
  'NOT_COORDINATOR_FOR_GROUP',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'GROUP_LOAD_IN_PROGRESS',
  'KAFKA_STORAGE_ERROR',
  'OUT_OF_ORDER_SEQUENCE_NUMBER',
  'UNKNOWN_PRODUCER_ID',
  'INVALID_PRODUCER_EPOCH',
  'ILLEGAL_GENERATION',
  'UNKNOWN_MEMBER_ID',
  'REBALANCE_IN_PROGRESS',
  'FENCED_LEADER_EPOCH',
  'UNKNOWN_LEADER_EPOCH',
])

/** A plain error of kafkajs: a request was made while it was connecting. */
const passingSentence = 'Broker not connected'

/** An error of kafkajs and those that caused it, outermost first. */
export function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = []
  let next = error
  while (next instanceof Error && !causes.includes(next)) {
    causes.push(next)
    next = next.cause
  }
  return causes
}

/** Several errors in one: of each topic that was to be created. */
export function errorsIn(error: Error): readonly Error[] {
  if (!('errors' in error) || !Array.isArray(error.errors)) return []
  return error.errors.filter((inner: unknown) => inner instanceof Error)
}

/** The protocol's word for what went wrong (`TOPIC_AUTHORIZATION_FAILED`); null if it has none. */
export function typeOf(error: unknown): string | null {
  for (const cause of causesOf(error)) {
    if ('type' in cause && typeof cause.type === 'string') return cause.type
  }
  return null
}

/** Whether another try, later or with new connections, may succeed. */
export function isTransient(error: unknown, seen: readonly Error[] = []): boolean {
  const causes = causesOf(error).filter((cause) => !seen.includes(cause))
  if (causes.some(({ name }) => name === 'KafkaJSSASLAuthenticationError')) return false
  if (causes.some(passesByItself)) return true
  const inner = causes.flatMap(errorsIn)
  return inner.length > 0 && inner.every((one) => isTransient(one, [...seen, ...causes]))
}

const passesByItself = (cause: Error): boolean =>
  passingNames.has(cause.name) ||
  cause.message === passingSentence ||
  ('retriable' in cause && cause.retriable === true) ||
  ('type' in cause && typeof cause.type === 'string' && passingTypes.has(cause.type))

/** @param what was tried: `appending to blocks` */
export function kafkaError(what: string, error: unknown): Error {
  if (error instanceof LogUnavailable) return error
  const sentence = `${what} failed: ${sentenceOf(error)}`
  return isTransient(error) ? new LogUnavailable(sentence) : new Error(sentence, { cause: error })
}

/** Of several errors so many are named. */
const namedMax = 3

function sentenceOf(error: unknown): string {
  const innermost = causesOf(error).at(-1)
  if (innermost === undefined) return String(error)
  const inner = errorsIn(innermost)
  if (inner.length === 0) return innermost.message
  const named = inner.slice(0, namedMax).map(namedSentence)
  const left = inner.length - named.length
  return `${named.join('; ')}${left > 0 ? `; and ${left} more` : ''}`
}

const namedSentence = (error: Error): string =>
  'topic' in error ? `${error.topic}: ${error.message}` : error.message

/**
 * Awaits a response of kafkajs that may come from any broker. If the last connected broker
 * disconnects at that moment, kafkajs sends no request, and throws a TypeError on the missing
 * response.
 * @throws LogUnavailable then
 */
export async function requireBroker<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof TypeError) throw new LogUnavailable('no broker is connected')
    throw error
  }
}
