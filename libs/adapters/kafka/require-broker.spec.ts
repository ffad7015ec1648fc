import { expect, test } from 'vitest'
import { LogUnavailable } from '../../ports/event-log.ts'
import { requireBroker } from './kafka-error.ts'

test('kafkajs is asked again where it stumbles over a broker that has gone', async () => {
  // What a service ended with that began while its broker was killed.
  const stumbled = new TypeError("Cannot destructure property 'topicMetadata' of 'null'")
  await expect(requireBroker(Promise.reject(stumbled))).rejects.toBeInstanceOf(LogUnavailable)
})

test('an error of a broker is passed on unchanged', async () => {
  const refused = new Error('not allowed')
  await expect(requireBroker(Promise.reject(refused))).rejects.toBe(refused)
  expect(await requireBroker(Promise.resolve(7))).toBe(7)
})
