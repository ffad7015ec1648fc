import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { importTokens } from './import-tokens.ts'
import { readText } from './read-import.ts'

const token = `0x${'ab'.repeat(20)}`
const read = (text: string, file: string) =>
  readText(importTokens, { file, text }, { time: 1_700_000_000, chainId: 1 })

const gold = {
  ...{ kind: 'words', token, time: 1_700_000_000 },
  ...{ name: 'Gold', symbol: 'GLD', decimals: 6 },
}

test.each([
  ['an object', { [token]: { name: ' Gold ', symbol: 'GLD', decimals: 6 } }, 'a.json'],
  ['a list', [{ address: token, name: 'Gold', symbol: 'GLD', decimals: '6' }], 'a.json'],
  ['CSV', `address,name,symbol,decimals\n${token},Gold,GLD,6\n`, 'a.csv'],
])('names of tokens are read from %s', (_, content, file) => {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  const { facts, faults } = read(text, file)
  expect(faults).toEqual([])
  expect(facts).toMatchObject([{ key: `${token}:words`, message: gold }])
})

test('what a file does not say stays as the contract has it', () => {
  const { facts } = read(`address,name,symbol,decimals\n${token},,GLD,\n`, 'a.csv')
  expect(facts).toMatchObject([{ message: { ...gold, name: null, decimals: null } }])
})

test.each([
  ['', null],
  ['true', true],
  ['false', false],
])('a mark of "%s" leaves or sets that of others', (mark, isScam) => {
  const { facts, faults } = read(
    `address,name,symbol,decimals,is_scam\n${token},Gold,GLD,6,${mark}\n`,
    'a.csv',
  )
  expect(faults).toEqual([])
  const marked = { ...gold, kind: 'correction', isScam }
  expect(facts.map(({ message }) => message)).toEqual([isScam === null ? gold : marked])
})

test.each([
  ['0x12,Gold,GLD,6', 'not an address: 0x12'],
  [`${token},,,`, 'neither a name, nor a symbol, nor decimals'],
  [`${token},Gold,GLD,many`, 'not a number of decimals: many'],
  [`${token},Gold,GLD,256`, 'decimals'],
])('of %s it says why not', (line, reason) => {
  const { facts, faults } = read(`address,name,symbol,decimals\n${line}\n`, 'a.csv')
  expect(facts).toEqual([])
  expect(faults).toMatchObject([{ line: 2, reason: expect.stringContaining(reason) }])
})

test('the recorded blocks come with names of their best-known tokens', () => {
  const text = readFileSync(new URL('../../../../test/mainnet/tokens.csv', import.meta.url), 'utf8')
  const { facts, faults } = read(text, 'tokens.csv')
  expect(faults).toEqual([])
  expect(facts).toContainEqual(
    expect.objectContaining({
      key: '0xdac17f958d2ee523a2206206994597c13d831ec7:words',
      message: expect.objectContaining({ name: 'Tether USD', symbol: 'USDT', decimals: 6 }),
    }),
  )
})
