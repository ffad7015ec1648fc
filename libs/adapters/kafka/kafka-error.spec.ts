import {
  KafkaJSAggregateError,
  KafkaJSConnectionError,
  KafkaJSNonRetriableError,
  KafkaJSProtocolError,
} from 'kafkajs'
import { describe, expect, test } from 'vitest'
import { LogUnavailable } from '../../ports/event-log.ts'
import { isTransient, kafkaError, typeOf } from './kafka-error.ts'

const protocolError = (type: string) =>
  new KafkaJSProtocolError(Object.assign(new Error(`it is ${type}`), { type, retriable: false }))
const wrapped = (cause: Error) =>
  Object.assign(new KafkaJSNonRetriableError('tried too often'), { cause })
const named = (name: string) => Object.assign(new Error('no'), { name, retriable: false })

const ofTopic = (topic: string, type: string, retriable = false) => {
  const error = Object.assign(new Error(`it is ${type}`), { type, retriable })
  return Object.assign(new KafkaJSProtocolError(error), { topic })
}
const several = (...errors: Error[]) => new KafkaJSAggregateError('Topic creation errors', errors)

describe('errors of kafkajs', () => {
  test.each<[string, Error]>([
    ['a connection', new KafkaJSConnectionError('refused')],
    ['a connection, tried often', wrapped(new KafkaJSConnectionError('refused'))],
    ['a full disk', protocolError('KAFKA_STORAGE_ERROR')],
    ['a new leader', protocolError('NOT_LEADER_FOR_PARTITION')],
    ['a producer forgotten', protocolError('UNKNOWN_PRODUCER_ID')],
    ['no coordinator, which kafkajs takes for final', named('KafkaJSGroupCoordinatorNotFound')],
    ['a question before its time', wrapped(new Error('Broker not connected'))],
    ['an answer too late', new LogUnavailable('took more than 5 ms')],
    [
      'what passes of each topic',
      several(ofTopic('a', 'NOT_CONTROLLER', true), ofTopic('b', 'REQUEST_TIMED_OUT', true)),
    ],
  ])('%s passes', (_what, error) => {
    expect(kafkaError('appending', error)).toBeInstanceOf(LogUnavailable)
  })

  test.each<[string, Error]>([
    ['wrong credentials', named('KafkaJSSASLAuthenticationError')],
    ['wrong credentials, tried often', wrapped(named('KafkaJSSASLAuthenticationError'))],
    ['no right to a topic', protocolError('TOPIC_AUTHORIZATION_FAILED')],
    ['a mistake of ours', new TypeError('undefined is not a function')],
    [
      'what is final of one topic',
      several(ofTopic('a', 'REQUEST_TIMED_OUT', true), ofTopic('b', 'TOPIC_AUTHORIZATION_FAILED')),
    ],
    ['several errors that are none', several()],
  ])('%s does not pass', (_what, error) => {
    expect(isTransient(error)).toBe(false)
    expect(kafkaError('appending', error)).not.toBeInstanceOf(LogUnavailable)
  })

  test('contains the call and the innermost reason', () => {
    const failure = kafkaError('appending to a', wrapped(protocolError('KAFKA_STORAGE_ERROR')))
    expect(failure.message).toBe('appending to a failed: it is KAFKA_STORAGE_ERROR')
    expect(typeOf(wrapped(protocolError('X')))).toBe('X')
    expect(typeOf(new Error('no'))).toBeNull()
  })

  test('names each of several errors with its topic, up to a bound', () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const failure = kafkaError('creating', several(...names.map((name) => ofTopic(name, 'X'))))
    expect(failure.message).toBe('creating failed: a: it is X; b: it is X; c: it is X; and 2 more')
  })

  test('goes round in no circle', () => {
    const circular = several()
    Object.assign(circular, { errors: [circular] })
    expect(isTransient(circular)).toBe(false)
    expect(kafkaError('creating', circular).message).toContain('creating failed: ')
    const error = new Error('of itself')
    error.cause = error
    expect(isTransient(error)).toBe(false)
  })
})
