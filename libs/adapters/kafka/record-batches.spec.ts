import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesOf, recordBatches } from './topic-appender.ts'

const message = (bytes: number, at = 0) => ({ key: `${at}`, value: new Uint8Array(bytes) })

test('keeps the order, and the bound unless one message alone is above it', () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 2_000 }), { maxLength: 40 })
  fc.assert(
    fc.property(sizes, (bytes) => {
      const messages = bytes.map(message)
      const batches = recordBatches(messages, 1_000)
      expect(batches.flat()).toEqual(messages)
      for (const batch of batches) {
        expect(batch.length).toBeGreaterThan(0)
        if (batch.length > 1) expect(bytesOf(batch)).toBeLessThanOrEqual(1_000)
      }
    }),
  )
})

test('fills a batch before it begins the next', () => {
  const batches = recordBatches(
    Array.from({ length: 10 }, () => message(235)),
    1_000,
  )
  expect(batches.map((batch) => batch.length)).toEqual([3, 3, 3, 1])
})

test('makes no batch of nothing', () => {
  expect(recordBatches([], 1_000)).toEqual([])
})
