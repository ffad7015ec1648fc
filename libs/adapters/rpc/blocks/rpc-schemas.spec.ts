import fc from 'fast-check'
import { encodeAbiParameters, stringToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { decodeBool, decodeDecimals, decodeText, decodeUint } from './rpc-schemas.ts'

/** One to four bytes of UTF-8, and what text must not hold. */
const letter = fc.constantFrom('a', ' ', 'ß', '漢', '🦊', '\u202e', '\0')
const abiText = (text: string) => encodeAbiParameters([{ type: 'string' }], [text])
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`
const largest = 2n ** 256n - 1n

describe('text of a contract', () => {
  it('is what the contract wrote', () => {
    fc.assert(
      fc.property(fc.array(letter, { maxLength: 40 }), (letters) => {
        const text = letters.join('')
        expect(decodeText(abiText(text))).toBe(text.split('\0')[0])
      }),
    )
  })

  it('may be the bytes32 of an early token', () => {
    expect(decodeText(stringToHex('Maker', { size: 32 }))).toBe('Maker')
    expect(decodeText(stringToHex('a'.repeat(32), { size: 32 }))).toBe('a'.repeat(32))
    expect(decodeText(word(0n))).toBe('')
  })

  it.each([
    ['invalid UTF-8', `${abiText('ab').replace('6162', 'ff62')}`, '\ufffdb'],
    ['invalid bytes32', `0xff${'00'.repeat(31)}`, '\ufffd'],
    ['NUL in the midst', abiText('a\0b'), 'a'],
    ['NUL in bytes32', `0x6100620000${'00'.repeat(27)}`, 'a'],
  ])('is cut at NUL and keeps a place for %s (contract 65)', (_, answer, text) =>
    expect(decodeText(answer)).toBe(text),
  )

  it.each([
    ['no answer', '0x'],
    ['nothing', null],
    ['half bytes', '0x123'],
    ['an offset beyond the answer', word(largest) + '00'.repeat(64)],
    ['a length beyond the answer', `${word(32n)}${word(33n).slice(2)}${'61'.repeat(32)}`],
    ['a huge length', `${word(32n)}${word(largest).slice(2)}`],
    ['more than 1024 characters', abiText('x'.repeat(1025))],
    ['a megabyte', abiText('x'.repeat(1_000_000))],
  ])('is unknown for %s', (_, answer) => expect(decodeText(answer)).toBeNull())

  it('never throws, whatever comes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const text = decodeText(`0x${Buffer.from(bytes).toString('hex')}`)
        expect(text === null || typeof text === 'string').toBe(true)
      }),
    )
  })
})

describe('numbers of a contract', () => {
  it('are exact up to 2^256-1', () => expect(decodeUint(word(largest))).toBe(largest))
  it('need a whole word', () => expect(decodeUint('0x01')).toBeNull())
  it('are decimals only up to 255', () => {
    expect([18n, 255n, 256n, largest].map((value) => decodeDecimals(word(value)))).toEqual([
      18,
      255,
      null,
      null,
    ])
  })
})

describe('yes', () => {
  it('is a clean word of one', () => {
    expect([word(1n), word(2n), word(0n), '0x', '0x01', `${word(1n)}00`].map(decodeBool)).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
    ])
  })
})
