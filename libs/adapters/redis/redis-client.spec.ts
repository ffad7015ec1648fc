import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeEntry, encodeEntry, redisAddress } from './redis-client.ts'

test('reads host, port, database, encryption and credentials', () => {
  expect(redisAddress('rediss://ann:p%40ss@cache.example:6380/3')).toEqual({
    host: 'cache.example',
    port: 6380,
    isEncrypted: true,
    database: 3,
    username: 'ann',
    password: 'p@ss',
    shown: 'rediss://cache.example:6380/3',
  })
})

test('takes the usual port and the first database where none is named', () => {
  expect(redisAddress('redis://:secret@[::1]')).toEqual({
    host: '::1',
    port: 6379,
    isEncrypted: false,
    database: 0,
    password: 'secret',
    shown: 'redis://[::1]:6379/0',
  })
})

const wrong = ['', 'secret@host', 'http://:secret@h', 'redis://:secret@', 'redis://:secret@h/a']

test.each([...wrong, 'redis://:secret%zz@h'])('refuses %j without repeating a secret', (text) => {
  expect(() => redisAddress(text)).toThrow(/not of the form redis:/)
  expect(() => redisAddress(text)).not.toThrow(/secret/)
})

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
