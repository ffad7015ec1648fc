import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeMessage } from './codec.ts'
import { encodeInPieces } from './encode-in-pieces.ts'

const options = { pause: () => undefined, bytesMax: 1e9 }

test('a message encoded in pieces is the message encoded at once', async () => {
  const long = Array.from({ length: 200 }, (_, at) => ({ at: BigInt(at), none: undefined }))
  const nested = {
    a: { b: long, c: [] },
    'd"é': [{ e: long }, {}, null],
    text: 'x'.repeat(600_000),
  }
  for (const message of [nested, {}, { a: [] }]) {
    expect(await encodeInPieces(message, options)).toEqual(Buffer.from(encodeMessage(message)))
  }
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (message) => {
      const padded = { ...message, long: long.slice(0, 30) }
      expect(await encodeInPieces(padded, options)).toEqual(Buffer.from(encodeMessage(padded)))
    }),
    { numRuns: 50 },
  )
})

test('what is too long is refused before all of it is encoded', async () => {
  const message = { long: Array.from({ length: 100 }, () => 'x'.repeat(100_000)) }
  await expect(encodeInPieces(message, { ...options, bytesMax: 1e6 })).rejects.toThrow(RangeError)
})
