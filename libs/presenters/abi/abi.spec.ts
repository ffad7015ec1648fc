import fc from 'fast-check'
import { encodeEventTopics, encodeFunctionData, erc20Abi } from 'viem'
import { expect, test } from 'vitest'
import { address, type Hash, hash, hex } from '../../chain/hex.ts'
import { decodedEvent, decodedInput } from './decoded.ts'
import { revertReason } from './decoded-values.ts'
import { functionsOf } from './signatures.ts'

/** An example of EIP-55 itself. */
const checksummed = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const spender = address(checksummed)
const word = (value: bigint): Hash => hash(`0x${value.toString(16).padStart(64, '0')}`)

test('decodes an input by name, type and value', () => {
  const input = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [spender, 5n] })
  expect(decodedInput(input)).toEqual({
    method_call: 'transfer(address to, uint256 value)',
    method_id: 'a9059cbb',
    parameters: [
      { name: 'to', type: 'address', value: checksummed },
      { name: 'value', type: 'uint256', value: '5' },
    ],
  })
})

test('decodes lists and tuples as lists of texts', () => {
  const input = hex(
    `0x252dba42${[32n, 1n, 32n, BigInt(spender), 64n, 2n].map((n) => word(n).slice(2)).join('')}${'beef'.padEnd(64, '0')}`,
  )
  expect(decodedInput(input)?.parameters).toEqual([
    {
      name: 'calls',
      type: '(address,bytes)[]',
      value: [[checksummed, '0xbeef']],
    },
  ])
})

test('tells transfers of amounts and of ids apart by their topics', () => {
  const [topic = '0x'] = encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer' })
  const [from, to] = [word(1n), word(2n)]
  expect(decodedEvent([hash(topic), from, to], word(9n))).toMatchObject({
    method_call: 'Transfer(address indexed from, address indexed to, uint256 value)',
    method_id: 'ddf252ad',
    parameters: [{ indexed: true, 'indexed?': true }, {}, { name: 'value', value: '9' }],
  })
  expect(decodedEvent([hash(topic), from, to, word(9n)], '0x')).toMatchObject({
    parameters: [{}, {}, { name: 'tokenId', indexed: true, value: '9' }],
  })
  expect(decodedEvent([hash(topic)], '0x')).toBeNull()
  expect(decodedEvent([], '0x')).toBeNull()
})

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const someHex = fc
  .uint8Array({ maxLength: 300 })
  .map((bytes) => hex(`0x${Buffer.from(bytes).toString('hex')}`))

test(`decodes anything or nothing, whatever is sent (seed ${seed})`, () => {
  const selectors = [
    '0xa9059cbb',
    '0x252dba42',
    '0xac9650d8',
    '0x2eb2c2d6',
    '0x414bf389',
    '0x38ed1739',
  ]
  for (const selector of selectors) expect(functionsOf(selector)).not.toEqual([])
  fc.assert(
    fc.property(fc.constantFrom(...selectors), someHex, (selector, rest) => {
      decodedInput(hex(selector + rest.slice(2)))
      revertReason(hex(`0x08c379a0${rest.slice(2)}`))
    }),
    { seed, numRuns: 300 },
  )
})
