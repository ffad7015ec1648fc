import { parseAbiParameters } from 'viem'
import { expect, test } from 'vitest'
import { type Hex, hex } from '../../chain/hex.ts'
import { authorizationList } from '../objects/authorization.ts'
import {
  DecodeBudget,
  pageActionsMax,
  pageAuthorizationCharactersMax,
  pageDecodedBytesMax,
  pageDecodedValuesMax,
} from './decode-budget.ts'
import { decodedValues } from './decoded-values.ts'

const word = (value: number): string => value.toString(16).padStart(64, '0')
const filled = (bytes: number): string => word(bytes) + '11'.repeat(bytes)

test('decodes together no more than a page may, in its order', () => {
  const list = parseAbiParameters('uint256[] list')
  const of = (count: number): Hex => hex(`0x${word(32)}${word(count)}${word(1).repeat(count)}`)
  const budget = new DecodeBudget()
  const decoded = Array.from({ length: 10 }, () => decodedValues(list, of(999), budget) !== null)
  const pageful = Math.floor(pageDecodedValuesMax / 1_000)
  expect(decoded).toEqual(decoded.map((_, at) => at < pageful))
  // A small one after them still fits.
  expect(decodedValues(list, of(1), budget)).toEqual([['1']])
})

test('counts the bytes of a page, and what does not decode, too', () => {
  const bytes = parseAbiParameters('bytes b')
  const of = (length: number): Hex => hex(`0x${word(32)}${filled(length)}`)
  const budget = new DecodeBudget()
  const length = 64 * 1024
  const asked = Array.from({ length: 20 }, () => decodedValues(bytes, of(length), budget) !== null)
  expect(asked.filter(Boolean)).toHaveLength(Math.floor(pageDecodedBytesMax / (length + 64)))
  const wrong = new DecodeBudget()
  const broken = hex(`0x${word(32)}${word(2 ** 31)}${word(1).repeat(1_024)}`)
  while (wrong.bytesLeft > 32 * 1_026) expect(decodedValues(bytes, broken, wrong)).toBeNull()
  expect(decodedValues(bytes, of(64 * 1024), wrong)).toBeNull()
})

test('shows the first actions and authorizations of a page only, in its order', () => {
  const budget = new DecodeBudget()
  expect(budget.useActions(pageActionsMax - 3)).toBe(pageActionsMax - 3)
  expect([budget.useActions(32), budget.useActions(32)]).toEqual([3, 0])
  const one = { chainId: '1', nonce: '7', delegate: '0x', authority: null }
  const of = (count: number) => JSON.stringify(Array<object>(count).fill(one))
  const total = pageAuthorizationCharactersMax / (of(2).length - of(1).length)
  const shown = Array.from({ length: 20 }, () => authorizationList(of(1_000), budget).length)
  expect(shown.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(total)
  expect(shown.slice(0, 2)).toEqual([1_000, 1_000])
  expect(shown.at(-1)).toBe(0)
})
