import { erc20Abi } from 'viem'
import { expect, test } from 'vitest'
import { abiDepthMax, abiInputsMax, entrySelector, entryText } from '../../chain/abi-entry.ts'
import { functionSelector } from '../../chain/abi-words.ts'
import { abiJson } from './abi-json.ts'

const reasonOf = (json: unknown): string => {
  const read = abiJson(json)
  return typeof read === 'object' && 'invalid' in read ? read.invalid : `${JSON.stringify(read)}`
}

test('reads every function and event of an ABI', () => {
  const texts = erc20Abi.map((json) => {
    const read = abiJson(json)
    if (typeof read === 'string' || 'invalid' in read) throw new Error(reasonOf(json))
    return `${entrySelector(read.entry).slice(0, 10)} ${entryText(read.entry)}`
  })
  expect(texts).toContain('0xa9059cbb function transfer(address recipient, uint256 amount)')
  expect(texts).toContain(
    '0xddf252ad event Transfer(address indexed from, address indexed to, uint256 value)',
  )
})

test.each([
  [{ type: 'constructor', inputs: [] }],
  [{ type: 'fallback' }],
  [{ type: 'receive', stateMutability: 'payable' }],
  [{ type: 'error', name: 'E', inputs: [] }],
  [{ type: 'event', name: 'Hidden', anonymous: true, inputs: [] }],
])('passes over %j', (json) => expect(abiJson(json)).toBe('other'))

const tuple = (depth: number): object =>
  depth === 0
    ? { name: 'a', type: 'uint8' }
    : { name: 'a', type: 'tuple', components: [tuple(depth - 1)] }
const endless: { type: string; components: unknown[] } = { type: 'tuple', components: [] }
endless.components.push(endless)
const asFunction = (...inputs: unknown[]) => ({ type: 'function', name: 'f', inputs })

test.each([
  ['not an object', null],
  ['a number', 7],
  ['neither type nor name', {}],
  ['a tuple without components', asFunction({ name: 'a', type: 'tuple[]' })],
  ['an unknown type', { type: 'selfdestruct', name: 'f' }],
  ['no name', { type: 'function', inputs: [] }],
  ['a name that is none', { type: 'function', name: 'f(uint8)', inputs: [] }],
  ['a long name', { type: 'function', name: 'f'.repeat(200), inputs: [] }],
  ['inputs that are none', { type: 'function', name: 'f', inputs: 'uint8' }],
  ['an input without a type', asFunction({ name: 'a' })],
  ['a type of a library', asFunction({ name: 'a', type: 'mapping(address => uint256) storage' })],
  ['a user-defined type', asFunction({ name: 'a', type: 'Lib.Kind' })],
  ['a long type', asFunction({ name: 'a', type: `uint8${'[]'.repeat(900)}` })],
  ['too many inputs', asFunction(...Array(abiInputsMax + 1).fill({ type: 'uint8' }))],
  [
    'too many parts',
    asFunction(...Array(60).fill({ type: 'tuple', components: Array(3).fill({ type: 'uint8' }) })),
  ],
  ['too deep tuples', asFunction(tuple(abiDepthMax + 2))],
  ['a tuple that holds itself', asFunction(endless)],
  ['a long text', asFunction(...Array(120).fill({ name: 'a'.repeat(100), type: 'uint256' }))],
])('refuses %s with a reason', (_, json) => expect(reasonOf(json)).not.toMatch(/entry/))

test('takes an entry without a type for a function, as old compilers wrote it', () => {
  const read = abiJson({ name: 'f', inputs: [{ type: 'uint' }] })
  expect(read).toMatchObject({ entry: { kind: 'function', name: 'f' } })
})

test('reads the type function, which is hashed under that name', () => {
  const read = abiJson(asFunction({ name: 'callback', type: 'function[2]' }))
  if (typeof read === 'string' || 'invalid' in read) throw new Error(reasonOf(read))
  expect(entryText(read.entry)).toBe('function f(function[2] callback)')
  expect(entrySelector(read.entry)).toBe(functionSelector('f(function[2])'))
})

test('leaves out names that no input could have', () => {
  const read = abiJson(asFunction({ name: 'a) returns (b', type: 'uint256' }))
  expect(typeof read === 'object' && 'entry' in read && entryText(read.entry)).toBe(
    'function f(uint256)',
  )
})
