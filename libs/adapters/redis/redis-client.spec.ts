import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeEntry, encodeEntry } from './entry-form.ts'
import { redisAddress } from './redis-client.ts'

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

const bytesMax = 100_000

test('an entry comes back as it was packed, whatever its bytes', () =>
  fc.assert(
    fc.asyncProperty(
      fc.uint8Array(),
      fc.nat(900),
      fc.maxSafeNat(),
      async (one, times, position) => {
        const bytes = Buffer.concat(Array.from({ length: Math.min(times, 99) }, () => one))
        const entry = { bytes, position }
        expect(decodeEntry(await encodeEntry(entry), bytesMax)).toEqual(entry)
      },
    ),
  ))

test('a page is compressed, and one that would expand beyond all bounds is none', async () => {
  const bytes = Buffer.from(JSON.stringify(Array.from({ length: 300 }, (_, at) => ({ block: at }))))
  const encoded = await encodeEntry({ bytes, position: 7 })
  expect(encoded.length).toBeLessThan(bytes.length / 2)
  expect(decodeEntry(encoded, bytes.length)).toEqual({ bytes, position: 7 })
  expect(decodeEntry(encoded, bytes.length - 1)).toBeNull()
  expect(decodeEntry(encoded.subarray(0, 40), bytesMax)).toBeNull()
})

test.each([
  '',
  '1',
  'something else entirely',
  '10000000000000001x',
  '29999999999999999p',
  '20000000000000001x',
])('takes %j for no entry', (value) => expect(decodeEntry(Buffer.from(value), bytesMax)).toBeNull())
