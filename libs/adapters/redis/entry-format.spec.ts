import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeEntry, encodeEntry } from './entry-format.ts'

test('an entry comes back as it was packed, whatever its bytes', () =>
  fc.assert(
    fc.property(fc.uint8Array(), fc.maxSafeNat(), (bytes, position) => {
      const entry = { bytes: Buffer.from(bytes), position }
      expect(decodeEntry(encodeEntry(entry))).toEqual(entry)
    }),
  ))

test.each(['', '1', 'something else entirely', '20000000000000001x', '19999999999999999x'])(
  'takes %j for no entry',
  (value) => expect(decodeEntry(Buffer.from(value))).toBeNull(),
)
