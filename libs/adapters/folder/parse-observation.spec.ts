import { describe, expect, it } from 'vitest'
import { hash } from '../../chain/hex.ts'
import { parseObservation } from './parse-observation.ts'

const blockHash = hash(`0x${'ab'.repeat(32)}`)
const token = `0x${'Cd'.repeat(20)}`
const holder = `0x${'ef'.repeat(20)}`
const largest = 2n ** 256n - 1n
const observed = (said: unknown) => parseObservation(said, 7, blockHash)

describe('an observation', () => {
  it('may leave out all that it does not know', () => {
    expect(observed({})).toEqual({
      block: 7,
      hash: blockHash,
      balances: [],
      supplies: [],
      owners: [],
      tokens: [],
    })
  })

  it('is exact, in decimal, hex and whole numbers', () => {
    const values = [largest.toString(), `0x${largest.toString(16)}`, 4711]
    const balances = values.map((value) => ({ token, holder, value }))
    expect(observed({ balances }).balances.map(({ value }) => value)).toEqual([
      largest,
      largest,
      4711n,
    ])
  })

  it('lowers addresses, and takes a missing token id for none', () => {
    const { balances, tokens } = observed({
      block: 7,
      hash: blockHash.toUpperCase().replace('0X', '0x'),
      balances: [{ token, holder, value: '1' }],
      tokens: [{ address: token, symbol: 'T' }],
    })
    const lower = token.toLowerCase()
    expect(balances).toEqual([{ token: lower, holder, tokenId: null, value: 1n }])
    expect(tokens).toEqual([
      {
        address: lower,
        standard: null,
        name: null,
        symbol: 'T',
        decimals: null,
        totalSupply: null,
        block: 7,
      },
    ])
  })

  it.each([
    ['another block', { block: 8 }, 'block is 8, but the file is named 7'],
    ['another fork', { hash: `0x${'12'.repeat(32)}` }, 'but block 7 of the chain is 0xabab'],
    [
      'an amount above 2^256-1',
      { supplies: [{ token, value: `${largest + 1n}` }] },
      'supplies.0.value',
    ],
    ['a negative amount', { supplies: [{ token, value: -1 }] }, 'supplies.0.value'],
    [
      'a number that JSON made inexact',
      { supplies: [{ token, value: 2 ** 60 }] },
      'supplies.0.value',
    ],
    ['a broken address', { owners: [{ token, tokenId: 1, owner: '0x12' }] }, 'owners.0.owner'],
    ['a word that nobody knows', { balance: [] }, 'balance'],
    ['a list', [], 'expected object'],
  ])('of %s is refused', (_, said, sentence) => {
    expect(() => observed(said)).toThrow(sentence)
  })
})
