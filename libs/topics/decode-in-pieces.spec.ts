import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { jsonInPieces } from '../chain/json-in-pieces.ts'
import { decodeBlocksMessage } from './codec.ts'
import { decodeInPieces } from './decode-in-pieces.ts'

const file = new URL('./examples/blocks.json', import.meta.url)
const examples: readonly object[] = JSON.parse(readFileSync(file, 'utf8'))
const sizes = fc.constantFrom(1, 2, 7, 40, 300, 3_000, 1e9)

test('JSON in pieces is what JSON.parse reads', async () => {
  const pause = () => undefined
  const keep = (_path: string, element: unknown) => element
  await fc.assert(
    fc.asyncProperty(
      fc.json({ maxDepth: 4 }),
      sizes,
      fc.boolean(),
      async (text, size, isSpaced) => {
        const bytes = Buffer.from(isSpaced ? JSON.stringify(JSON.parse(text), null, 1) : text)
        const read = await jsonInPieces(bytes, { keep, pause, pieceBytesMax: size })
        expect(read).toEqual(JSON.parse(text))
      },
    ),
    { numRuns: 60 },
  )
})

test('a message decoded in pieces is the message decoded at once', async () => {
  for (const example of examples) {
    const bytes = Buffer.from(JSON.stringify(example))
    for (const size of [1, 10, 100, 1_000, 1e9]) {
      expect(await decodeInPieces(bytes, size)).toEqual(decodeBlocksMessage(bytes))
    }
  }
})

test('a member is no nested one, whatever its name', async () => {
  const [example] = examples
  const { block, ...rest } = z.looseObject({ block: z.looseObject({}) }).parse(example)
  const names = ['block.transactions', 'block/transactions', 'block~1transactions', 'transactions']
  for (const name of names.flatMap((one) => [one, `/${one}`, `.${one}`])) {
    const within = { [name]: [{}], ...block }
    const message = { [name]: [{}], ...rest, block: within, '': within }
    const bytes = Buffer.from(JSON.stringify(message))
    const whole = decodeBlocksMessage(bytes)
    expect(whole).toHaveProperty('message')
    expect(await decodeInPieces(bytes, 1)).toEqual(whole)
  }
})

test('whatever is changed in a message is refused in pieces if it is refused at once', async () => {
  const changed = fc
    .tuple(fc.constantFrom(...examples), fc.nat(), fc.constantFrom(...'{}[],:"0a- \\'))
    .map(([example, at, letter]) => {
      const whole = JSON.stringify(example)
      const place = at % whole.length
      return whole.slice(0, place) + letter + whole.slice(place + 1)
    })
  await fc.assert(
    fc.asyncProperty(changed, sizes, async (text, size) => {
      const message = Buffer.from(text)
      const [whole, pieces] = [decodeBlocksMessage(message), await decodeInPieces(message, size)]
      expect('invalid' in pieces).toBe('invalid' in whole)
      if ('message' in whole) expect(pieces).toEqual(whole)
    }),
    { numRuns: 300 },
  )
})
