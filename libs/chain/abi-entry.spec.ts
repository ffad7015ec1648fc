import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type AbiInput,
  abiDepthMax,
  abiInputsMax,
  abiTextCharactersMax,
  entryForm,
  entrySelector,
  entryText,
  parseAbiEntry,
  signatureOf,
} from './abi-entry.ts'

test.each([
  ['transfer(address,uint256)', '0xa9059cbb'],
  ['function transfer(address to, uint value) external returns (bool)', '0xa9059cbb'],
  ['aggregate((address target, bytes callData)[] calls)', '0x252dba42'],
  ['aggregate(tuple(address target, bytes callData)[] memory calls) payable', '0x252dba42'],
  ['deposit()', '0xd0e30db0'],
  ['event Sync(uint112, uint112)', /^0x1c411e9a.{56}$/],
  ['event Transfer(address indexed from, address indexed to, uint256 value)', /^0xddf252ad/],
])('reads %s', (text, selector) => {
  const entry = parseAbiEntry(text)
  if (entry === null) throw new Error('not read')
  expect(entrySelector(entry)).toMatch(selector)
  expect(parseAbiEntry(entryText(entry))).toEqual(entry)
})

test('reports which inputs are indexed, and their names', () => {
  const entry = parseAbiEntry(
    'event Approval(address indexed owner, (uint8 kind, bytes32[2]) what)',
  )
  if (entry === null) throw new Error('not read')
  expect(entryForm(entry)).toBe('Approval(address indexed,(uint8,bytes32[2]))')
  expect(signatureOf(entry)).toBe('Approval(address,(uint8,bytes32[2]))')
  expect(entryText(entry)).toBe(
    'event Approval(address indexed owner, (uint8 kind, bytes32[2]) what)',
  )
})

const nested = (depth: number) => `f(${'('.repeat(depth)}uint8${')'.repeat(depth)})`

test.each([
  '',
  'transfer',
  'transfer(',
  'transfer(address',
  'transfer(address,)',
  'transfer(uint7)',
  'transfer(mapping(address => uint256))',
  'transfer(string[-1])',
  'transfer(uint8[9999999])',
  'transfer(tuple)',
  'transfer(address to from)',
  '1transfer(address)',
  'трансфер(address)',
  nested(abiDepthMax + 1),
  nested(4_000),
  `f(${'uint8,'.repeat(abiInputsMax)}uint8)`,
  `f(${' '.repeat(abiTextCharactersMax)})`,
  `f(uint8${'[]'.repeat(5)})`,
])('reads nothing of %s', (text) => expect(parseAbiEntry(text)).toBeNull())

test('reads as deep and as much as an entry may have', () => {
  expect(parseAbiEntry(nested(abiDepthMax))).not.toBeNull()
  expect(parseAbiEntry(`f(${'uint8,'.repeat(abiInputsMax - 1)}uint8)`)?.inputs).toHaveLength(
    abiInputsMax,
  )
})

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const types = ['address', 'uint256', 'bytes32[3]', 'string', 'int8[][]', 'bool']
const name = fc.constantFrom('', 'to', '_value', '$x9', 'indexedBy')

const input = (depth: number): fc.Arbitrary<AbiInput> => {
  const shared = { name, isIndexed: fc.constant(false) }
  const plain = fc.record({
    ...shared,
    type: fc.constantFrom(...types),
    components: fc.constant([]),
  })
  if (depth === 0) return plain
  const tuple = fc.record({
    ...shared,
    type: fc.constantFrom('tuple', 'tuple[]', 'tuple[4]'),
    components: fc.array(input(depth - 1), { minLength: 1, maxLength: 3 }),
  })
  return fc.oneof(plain, tuple)
}

test(`reads back every entry that it writes (seed ${seed})`, () => {
  const entry = fc.record({
    kind: fc.constantFrom('function' as const, 'event' as const),
    name: fc.constantFrom('transfer', '_a', 'F$'),
    inputs: fc.array(input(3), { maxLength: 4 }),
  })
  fc.assert(
    fc.property(entry, (one) => {
      expect(parseAbiEntry(entryText(one))).toEqual(one)
    }),
    { seed, numRuns: 200 },
  )
})

test(`reads anything or nothing, whatever the text (seed ${seed})`, () => {
  const marks = fc.constantFrom('(', ')', ',', ' ', 'uint8', '[', ']', 'indexed', 'tuple', 'f')
  fc.assert(
    fc.property(fc.array(marks, { maxLength: 60 }), (parts) => {
      const entry = parseAbiEntry(parts.join(''))
      if (entry !== null) expect(parseAbiEntry(entryText(entry))).toEqual(entry)
    }),
    { seed, numRuns: 500 },
  )
})
