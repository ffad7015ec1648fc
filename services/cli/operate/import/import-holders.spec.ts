import { expect, test } from 'vitest'
import { importHolders } from './import-holders.ts'
import { readText } from './read-import.ts'

const [token, holder] = [`0x${'ab'.repeat(20)}`, `0x${'cd'.repeat(20)}`]
const read = (text: string, file: string) =>
  readText(importHolders, { file, text }, { time: 1_700_000_000, chainId: null })

test.each([
  [
    'a list',
    JSON.stringify([{ token, holder: holder.toUpperCase().replace('0X', '0x') }]),
    'a.json',
  ],
  ['CSV', `token,holder\n${token},${holder}\n`, 'a.csv'],
  ['CSV with an empty id', `holder,token,id\n${holder},${token},\n`, 'a.csv'],
])('holders are read from %s', (_, text, file) => {
  const { facts, faults } = read(text, file)
  expect(faults).toEqual([])
  const message = { token, holder, tokenId: null }
  expect(facts).toEqual([{ key: `${token}:${holder}`, message }])
})

test.each([
  ['a list', JSON.stringify([{ token, holder, id: 7 }]), 'a.json'],
  ['CSV', `token,holder,id\n${token},${holder},7\n`, 'a.csv'],
])('and of ids from %s', (_, text, file) => {
  expect(read(text, file).facts).toEqual([
    { key: `${token}:${holder}:7`, message: { token, holder, tokenId: 7n } },
  ])
})

test.each([
  [`${token},,`, 'not an address: '],
  [`0x12,${holder},`, 'not an address: 0x12'],
  [`${token},${holder},1.5`, 'not an id: 1.5'],
  [`${token},${holder},${2n ** 256n}`, 'not an id: 1157'],
])('of %s it says why not', (line, reason) => {
  const { facts, faults } = read(`token,holder,id\n${line}\n`, 'a.csv')
  expect(facts).toEqual([])
  expect(faults).toMatchObject([{ line: 2, reason: expect.stringContaining(reason) }])
})

test('one that is named twice is published once', () => {
  const text = `token,holder\n${token},${holder}\n${token},${holder}\n`
  expect(read(text, 'a.csv')).toMatchObject({ facts: [{}], faults: [] })
})
