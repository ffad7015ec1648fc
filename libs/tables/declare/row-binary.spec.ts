import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../../test/support/any-text.ts'
import type { Hex } from '../../chain/hex.ts'
import { RowSink, RowSource } from './row-binary.ts'

const sunk = (write: (sink: RowSink) => void): RowSource => {
  const sink = new RowSink()
  write(sink)
  return new RowSource(sink.bytes())
}

const hexOf = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`

describe('binary rows', () => {
  it('give back every integer, text and run of bytes', () => {
    fc.assert(
      fc.property(
        fc.record({
          amount: fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
          whole: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
          small: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
          text: anyText(300),
          bytes: fc.uint8Array({ maxLength: 300 }),
        }),
        ({ amount, whole, small, text, bytes }) => {
          const source = sunk((sink) => {
            sink.uint256(amount)
            sink.uint64(whole)
            sink.uint32(small)
            sink.text(text)
            sink.hex(hexOf(bytes))
            sink.fixed(hexOf(bytes), bytes.length)
          })
          expect(source.uint256()).toBe(amount)
          expect(source.uint64()).toBe(whole)
          expect(source.uint32()).toBe(small)
          expect(source.text()).toBe(text)
          expect(source.hex()).toBe(hexOf(bytes))
          expect(source.fixed(bytes.length)).toBe(hexOf(bytes))
          expect(source.done).toBe(true)
        },
      ),
    )
  })

  it.each([0n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 128n, 2n ** 248n, 2n ** 256n - 1n])(
    'give back %d, of one word or of several',
    (amount) => {
      expect(sunk((sink) => sink.uint256(amount)).uint256()).toBe(amount)
    },
  )

  it('grow beyond their first bytes without losing one', () => {
    const long = 'x'.repeat(200_000)
    const source = sunk((sink) => {
      for (let number = 0; number < 20_000; number++) sink.uint32(number)
      sink.text(long)
    })
    const numbers = Array.from({ length: 20_000 }, (_, number) => number)
    expect(numbers.map(() => source.uint32())).toEqual(numbers)
    expect(source.text()).toBe(long)
  })

  it.each<[string, (sink: RowSink) => void]>([
    ['a negative amount', (sink) => sink.uint256(-1n)],
    ['an amount of 2^256', (sink) => sink.uint256(1n << 256n)],
    ['an integer above 2^53-1', (sink) => sink.uint64(2 ** 53)],
    ['a fraction', (sink) => sink.uint64(1.5)],
    ['256 as a byte', (sink) => sink.uint8(256)],
    ['65536 as a word', (sink) => sink.uint16(65_536)],
    ['2^32 as a double word', (sink) => sink.uint32(2 ** 32)],
    ['too few bytes', (sink) => sink.fixed('0x00', 20)],
    ['no hex in a short run', (sink) => sink.fixed('0x0g', 1)],
    ['no hex in a long run', (sink) => sink.hex(`0x${'0'.repeat(400)}zz`)],
  ])('refuse %s instead of cutting it', (_, write) => {
    expect(() => sunk(write)).toThrow(RangeError)
  })

  it('refuse to be read beyond their end', () => {
    expect(() => sunk((sink) => sink.uint16(1)).uint32()).toThrow('row ends too early')
  })
})
