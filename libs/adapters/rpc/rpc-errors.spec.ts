import { describe, expect, it } from 'vitest'
import { isContractError, isMethodMissing, isRateLimit } from './rpc-errors.ts'

describe('an error of an eth_call that tells of the contract', () => {
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
