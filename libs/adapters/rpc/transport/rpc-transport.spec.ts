import { describe, expect, it } from 'vitest'
import { SourceError } from '../../../ports/chain-source.ts'
import {
  BatchRefused,
  isContractError,
  isMethodMissing,
  isRateLimit,
  matchResponses,
} from './rpc-transport.ts'

describe('an error of an eth_call that the contract caused', () => {
  it.each([
    ['geth, Erigon, Reth', { code: 3, message: 'execution reverted', data: '0x' }],
    ['geth, with a reason', { code: 3, message: 'execution reverted: too many requests' }],
    ['geth of 2020', { code: -32000, message: 'execution reverted: rate limit' }],
    ['geth, an old contract', { code: -32000, message: 'invalid opcode: INVALID' }],
    ['geth, an old contract', { code: -32000, message: 'invalid jump destination' }],
    ['geth, no gas left', { code: -32000, message: 'out of gas' }],
    ['geth, Vyper', { code: -32000, message: 'stack underflow (0 <=> 1)' }],
    ['Besu', { code: -32000, message: 'Execution reverted', data: '0x08c379a0' }],
    ['Nethermind', { code: -32015, message: 'VM execution error.', data: 'Reverted 0x7a933234' }],
    ['Nethermind of 2025', { code: -32000, message: 'execution reverted', data: '0xf4f28e99' }],
    ['Nethermind', { code: -32015, message: 'VM execution error.', data: 'err: 0xdf2d (gas 9)' }],
    ['OpenEthereum', { code: -32015, message: 'VM execution error.', data: 'Bad instruction fe' }],
    ['anvil', { code: 3, message: 'execution reverted: rate limit', data: '0x08c379a0' }],
    ['anvil', { code: -32003, message: 'EVM error InvalidFEOpcode' }],
    ['Hardhat', { code: -32603, message: "Error: VM Exception: reverted with reason 'x'" }],
    ['Ganache', { code: -32000, message: 'VM Exception while processing transaction: revert x' }],
    ['proxies', { code: -32000, message: 'error', data: '0x08c379a0' }],
  ])('of %s: %j', (_, error) => expect(isContractError(error)).toBe(true))

  it.each([
    { code: -32000, message: 'missing trie node 5d1f (path )' },
    { code: -32000, message: 'header not found' },
    { code: -32005, message: 'limit', data: { rate: { allowed_rps: 1 } } },
    { code: -32016, message: 'over rate limit' },
    { code: -32015, message: 'gateway timeout' },
    { code: -32603, message: 'internal error' },
    { code: 429, message: 'Too Many Requests' },
    { code: 0, message: '' },
  ])('is not %j', (error) => expect(isContractError(error)).toBe(false))
})

describe('a limit of requests', () => {
  it.each([
    { code: -32005, message: 'daily request count exceeded, request rate limited' },
    { code: -32016, message: 'over rate limit' },
    { code: 429, message: 'Your app has exceeded its compute units per second capacity' },
    { code: -32000, message: 'Too Many Requests' },
    { code: -32007, message: '50/second request limit reached' },
    { code: -32600, message: 'capacity exceeded' },
  ])('is told by %j', (error) => expect(isRateLimit(error)).toBe(true))

  it.each([
    { code: -32601, message: 'the method does not exist' },
    { code: -32000, message: 'header not found' },
  ])('is not told by %j', (error) => expect(isRateLimit(error)).toBe(false))
})

it('believes that a method is absent by the code alone', () => {
  expect(isMethodMissing({ code: -32601, message: '' })).toBe(true)
  expect(isMethodMissing({ code: -32000, message: 'method not found' })).toBe(false)
})

const trouble = (ids: readonly number[], body: unknown) => {
  try {
    matchResponses(ids, body)
  } catch (cause) {
    return cause instanceof SourceError ? cause.kind : cause
  }
  return 'none'
}

describe('answers of a node', () => {
  it('belong to their questions by id, in whatever order they come', () => {
    const body = [
      { id: 3, result: 'c' },
      { id: 1, result: null },
      { id: 2, error: { code: 3, message: 'execution reverted' } },
    ]
    expect(matchResponses([1, 2, 3], body)).toEqual([
      { result: null },
      { error: { code: 3, message: 'execution reverted' } },
      { result: 'c' },
    ])
  })

  it.each<[string, readonly number[], unknown]>([
    ['half-answer', [1, 2], [{ id: 1, result: 'a' }]],
    [
      'half-answer',
      [1, 2],
      [
        { id: 1, result: 1 },
        { id: 1, result: 1 },
      ],
    ],
    ['half-answer', [1], { id: 1 }],
    ['half-answer', [1], { id: 2, result: 'a' }],
    ['wrong-answer', [1], 'hello'],
    ['wrong-answer', [1], { id: 1, error: 'no' }],
    [
      'wrong-answer',
      [1, 2],
      [
        { id: 1, result: 'a' },
        { id: 2, result: 'b' },
        { id: 1, result: 'c' },
      ],
    ],
    ['rate-limited', [1, 2], { id: null, error: { code: -32000, message: 'Too Many Requests' } }],
  ])('are a %s to %j if they are %j', (kind, ids, body) => {
    expect(trouble(ids, body)).toBe(kind)
  })

  it.each([
    { code: -32005, message: 'limit' },
    { code: -32000, message: 'execution reverted: too many requests' },
    { code: 3, message: 'rate limit exceeded', data: '0x08c379a0' },
  ])('are not judged by the words of one error: %j', (error) => {
    expect(
      matchResponses(
        [1, 2],
        [
          { id: 1, result: 1 },
          { id: 2, error },
        ],
      ),
    ).toEqual([{ result: 1 }, { error }])
    expect(matchResponses([1], { id: 1, error })).toEqual([{ error }])
  })

  it('are read past an error of another form, and past foreign answers', () => {
    const body = [
      { id: 9, result: 'foreign' },
      { id: 1, error: { code: '-32000', message: 5 } },
      { id: 2, result: 'b' },
    ]
    expect(matchResponses([1, 2], body)).toEqual([
      { error: { code: 0, message: '' } },
      { result: 'b' },
    ])
  })

  it('refuse a batch by one single error', () => {
    const body = { id: null, error: { code: -32600, message: 'batch too large' } }
    expect(trouble([1, 2], body)).toBeInstanceOf(BatchRefused)
    expect(matchResponses([1], body)).toEqual([{ error: body.error }])
  })
})
