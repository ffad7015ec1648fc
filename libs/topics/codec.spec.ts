import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { zeroAddress, zeroHash } from '../chain/hex.ts'
import { decodeBlocksMessage, decodeMessage, encodeMessage } from './codec.ts'
import { instanceFact } from './facts/instance-facts.ts'
import { amountText, jsonDepthMax, second } from './quantities.ts'
import { topics } from './topics.ts'

const said = (text: string) => Buffer.from(text)

describe('the codec', () => {
  test('keeps amounts of any size exact', () => {
    const schema = z.object({ value: amountText, others: z.array(amountText) })
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
        z.object({ value: amountText }),
        said(JSON.stringify({ value: text })),
      )
      expect('invalid' in decoded, text).toBe(true)
    }
  })

  test('refuses a time beyond the year 9999', () => {
    const schema = z.object({ at: second })
    const decoded = (at: number) => decodeMessage(schema, said(JSON.stringify({ at })))
    expect(decoded(253_402_300_799)).toEqual({ message: { at: 253_402_300_799 } })
    expect(decoded(253_402_300_800)).toEqual({ invalid: 'at: beyond the year 9999' })
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

  test('refuses metadata longer than its bound', () => {
    const fact = (characters: number) =>
      said(`{"token":"0x${'0'.repeat(40)}","tokenId":"1","time":1,"media":null,"failure":null,
        "metadata":{"a":"${'x'.repeat(characters - '{"a":""}'.length)}"}}`)
    expect('message' in decodeMessage(instanceFact, fact(262_144))).toBe(true)
    const refusal = { invalid: 'metadata: JSON of more than 262144 characters' }
    expect(decodeMessage(instanceFact, fact(262_145))).toEqual(refusal)
  })

  test('does not throw where a schema does', () => {
    const decoded = decodeMessage(z.json(), said(`${'['.repeat(1e5)}${']'.repeat(1e5)}`))
    expect(decoded).toEqual({ invalid: expect.stringContaining('cannot be read: ') })
  })

  test('reads bytes that are a part of a larger buffer', () => {
    const all = said('xx{"value":"7"}yy')
    const schema = z.object({ value: amountText })
    expect(decodeMessage(schema, all.subarray(2, -2))).toEqual({ message: { value: 7n } })
  })
})

describe('a block that no table could hold', () => {
  type Wild = Record<string, unknown>
  const log = (index: number) => ({ index, address: zeroAddress, topics: [], data: '0x' })
  const transaction = (wild: Wild = {}) => ({
    ...{ hash: zeroHash, index: 0, type: 2, from: zeroAddress, to: null, nonce: 0, value: 0n },
    ...{ input: '0x', gasLimit: 0n, gasUsed: 0n, gasPrice: 0n, maxFeePerGas: null },
    ...{ maxPriorityFeePerGas: null, status: 1, createdContract: null, revertReason: null },
    ...{ error: null, authorizations: [], logs: [log(0), log(1)], calls: null },
    ...wild,
  })
  const decoded = (transactions: Wild[], wild: Wild = {}) => {
    const times = { timestamp: 1, parentTimestamp: 0 }
    const gas = { gasLimit: 0n, gasUsed: 0n, baseFeePerGas: null }
    const ids = { number: 7, hash: zeroHash, parentHash: zeroHash, miner: zeroAddress }
    const block = { ...ids, ...times, ...gas, transactions, ...wild }
    const envelope = { kind: 'block.applied', sequence: 1, chainId: 1, tokens: [], contracts: [] }
    const message = decodeBlocksMessage(encodeMessage({ ...envelope, block }))
    return 'invalid' in message ? message.invalid : 'valid'
  }
  const second = (wild: Wild = {}) =>
    transaction({ index: 1, hash: `0x${'1'.repeat(64)}`, logs: [log(2)], ...wild })

  test('is one whose numbers are too large for their columns', () => {
    expect(decoded([transaction(), second()])).toBe('valid')
    const last = 2 ** 32 - 1
    expect(decoded([transaction({ index: last, type: last, logs: [log(last)] })])).toBe('valid')
    expect(decoded([transaction({ index: last + 1 })])).toMatch(/^block.transactions.0.index: /)
    expect(decoded([transaction({ type: last + 1 })])).toMatch(/^block.transactions.0.type: /)
    expect(decoded([transaction({ logs: [log(last + 1)] })])).toMatch(/0.logs.0.index: /)
    expect(decoded([], { number: Number.MAX_SAFE_INTEGER })).toMatch(/^block.number: /)
  })

  test('is one with a fee above 2^256-1', () => {
    const whole = { gasUsed: 1n << 128n, gasPrice: (1n << 128n) - 1n }
    expect(decoded([transaction(whole)])).toBe('valid')
    const fee = decoded([transaction({ ...whole, gasPrice: 1n << 128n })])
    expect(fee).toBe('block.transactions.0: a fee above 2^256-1')
  })

  test('is one whose keys are not apart: indexes ascend, hashes differ', () => {
    const same = 'indexes that do not ascend'
    expect(decoded([transaction(), second({ index: 0 })])).toContain(same)
    expect(decoded([transaction({ logs: [log(1), log(1)] })])).toContain(same)
    expect(decoded([transaction({ logs: [log(1), log(0)] })])).toContain(same)
    expect(decoded([transaction(), second({ logs: [log(1)] })])).toContain(same)
    expect(decoded([transaction(), second({ hash: zeroHash })])).toContain('the same hash twice')
  })
})

test('every topic has one name, and those of facts have topics for dead letters', () => {
  const names = topics.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const name of ['token-facts', 'coin-prices']) {
    expect(names).toContain(`${name}.dead-letters`)
  }
})

// Found by a random message of encode-in-pieces.spec.ts, seed 192332891.
test('a member named __proto__ is written like any other', () => {
  const message: unknown = JSON.parse('{"a":1,"__proto__":{"b":2}}')
  expect(Buffer.from(encodeMessage(message)).toString()).toBe('{"a":1,"__proto__":{"b":2}}')
})
