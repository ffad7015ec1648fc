import { KafkaJSConnectionError, KafkaJSNonRetriableError, KafkaJSProtocolError } from 'kafkajs'
import { describe, expect, test } from 'vitest'
import { LogUnavailable } from '../../ports/event-log.ts'
import { isPassing, kafkaFailure, typeOf } from './kafka-failure.ts'

const protocolError = (type: string) =>
  new KafkaJSProtocolError(Object.assign(new Error(`it is ${type}`), { type, retriable: false }))
const wrapped = (cause: Error) =>
  Object.assign(new KafkaJSNonRetriableError('tried too often'), { cause })
const named = (name: string) => Object.assign(new Error('no'), { name, retriable: false })

describe('what kafkajs says went wrong', () => {
  test.each<[string, Error]>([
    ['a connection', new KafkaJSConnectionError('refused')],
    ['a connection, tried often', wrapped(new KafkaJSConnectionError('refused'))],
    ['a full disk', protocolError('KAFKA_STORAGE_ERROR')],
    ['a new leader', protocolError('NOT_LEADER_FOR_PARTITION')],
    ['a producer forgotten', protocolError('UNKNOWN_PRODUCER_ID')],
    ['no coordinator, which kafkajs takes for final', named('KafkaJSGroupCoordinatorNotFound')],
    ['a question before its time', wrapped(new Error('Broker not connected'))],
    ['an answer too late', new LogUnavailable('took more than 5 ms')],
  ])('%s passes', (_what, error) => {
    expect(kafkaFailure('appending', error)).toBeInstanceOf(LogUnavailable)
  })

  test.each<[string, Error]>([
    ['wrong credentials', named('KafkaJSSASLAuthenticationError')],
    ['wrong credentials, tried often', wrapped(named('KafkaJSSASLAuthenticationError'))],
    ['no right to a topic', protocolError('TOPIC_AUTHORIZATION_FAILED')],
    ['a mistake of ours', new TypeError('undefined is not a function')],
  ])('%s does not pass', (_what, error) => {
    expect(isPassing(error)).toBe(false)
    expect(kafkaFailure('appending', error)).not.toBeInstanceOf(LogUnavailable)
  })

  test('says what was tried, and the innermost reason', () => {
    const failure = kafkaFailure('appending to a', wrapped(protocolError('KAFKA_STORAGE_ERROR')))
    expect(failure.message).toBe('appending to a failed: it is KAFKA_STORAGE_ERROR')
    expect(typeOf(wrapped(protocolError('X')))).toBe('X')
    expect(typeOf(new Error('no'))).toBeNull()
  })

  test('goes round in no circle', () => {
    const error = new Error('of itself')
    error.cause = error
    expect(isPassing(error)).toBe(false)
  })
})
