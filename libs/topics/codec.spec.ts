import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { decodeBlocksMessage, decodeMessage, encodeMessage } from './codec.ts'
import { instanceFact } from './instance-facts.ts'
import { amount, jsonDepthMax, second } from './quantities.ts'
import { topics } from './topics.ts'

const said = (text: string) => Buffer.from(text)

describe('the codec', () => {
  test('keeps amounts of any size exact', () => {
    const schema = z.object({ value: amount, others: z.array(amount) })
    const message = { value: (1n << 256n) - 1n, others: [0n, 1n << 53n] }
    expect(decodeMessage(schema, encodeMessage(message))).toEqual({ message })
    expect(Buffer.from(encodeMessage({ value: 5n })).toString()).toBe('{"value":"5"}')
  })

  test('names the place and the reason of what is no message, and never throws', () => {
    const cases: [string, RegExp][] = [
      ['', /not JSON/],
      ['{"kind":"block.applied"', /not JSON/],
      ['null', /message: /],
      ['{"kind":"odd"}', /kind: /],
      ['{"kind":"gap.declared","sequence":1,"chainId":1,"from":2}', /to: /],
      ['{"kind":"gap.declared","sequence":0,"chainId":1,"from":2,"to":3}', /sequence: /],
      ['{"kind":"gap.declared","sequence":1.5,"chainId":1,"from":2,"to":3}', /sequence: /],
    ]
    for (const [text, reason] of cases) {
      const decoded = decodeBlocksMessage(said(text))
      expect('invalid' in decoded ? decoded.invalid : 'valid', text).toMatch(reason)
    }
  })

  test('refuses amounts that no contract can hold', () => {
    for (const text of ['-1', '01', '1e3', '0x1', `${1n << 256n}`, '']) {
      const decoded = decodeMessage(
        z.object({ value: amount }),
        said(JSON.stringify({ value: text })),
      )
      expect('invalid' in decoded, text).toBe(true)
    }
  })

  test('refuses a time that no calendar can say', () => {
    const schema = z.object({ at: second })
    const decoded = (at: number) => decodeMessage(schema, said(JSON.stringify({ at })))
    expect(decoded(8_640_000_000_000)).toEqual({ message: { at: 8_640_000_000_000 } })
    expect(decoded(8_640_000_000_001)).toEqual({ invalid: 'at: a time beyond the year 275760' })
  })

  test('refuses what is nested deeper than its readers may recurse', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
    const fact = (levels: number) =>
      said(`{"token":"0x${'0'.repeat(40)}","tokenId":"1","time":1,"media":null,"failure":null,
        "metadata":{"deep":${nested(levels)}}}`)
    expect('message' in decodeMessage(instanceFact, fact(jsonDepthMax))).toBe(true)
    for (const levels of [jsonDepthMax + 1, 2_000, 100_000]) {
      const { invalid } = { invalid: '', ...decodeMessage(instanceFact, fact(levels)) }
      expect(invalid, `${levels} levels`).toBe('metadata.deep: not JSON of at most 64 levels')
    }
  })

  test('does not throw where a schema does', () => {
    const decoded = decodeMessage(z.json(), said(`${'['.repeat(1e5)}${']'.repeat(1e5)}`))
    expect(decoded).toEqual({ invalid: expect.stringContaining('cannot be read: ') })
  })

  test('reads bytes that are a part of a larger buffer', () => {
    const all = said('xx{"value":"7"}yy')
    const schema = z.object({ value: amount })
    expect(decodeMessage(schema, all.subarray(2, -2))).toEqual({ message: { value: 7n } })
  })
})

test('every topic has one name, and what we hear has a place for its dead letters', () => {
  const names = topics.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const name of ['blocks', 'token-facts', 'coin-prices']) {
    expect(names).toContain(`${name}.dead-letters`)
  }
})
