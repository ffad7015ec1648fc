import { encodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters } from 'viem'
import { expect, test } from 'vitest'
import { type AbiEntry, parseAbiEntry } from '../../chain/abi-entry.ts'
import { eventTopic } from '../../chain/abi-words.ts'
import { type Hex, hash, hex } from '../../chain/hex.ts'
import { decodedEvent, decodedInput, methodOf } from './decoded.ts'
import { noPublishedSignatures, type PublishedSignatures } from './published-signatures.ts'

const entriesOf = (texts: readonly string[]): readonly AbiEntry[] =>
  texts.map((text) => {
    const entry = parseAbiEntry(text)
    if (entry === null) throw new Error(`not read: ${text}`)
    return entry
  })

interface Said {
  readonly own?: readonly string[]
  readonly wellKnown?: readonly string[]
}
const said = ({ own = [], wellKnown = [] }: Said): PublishedSignatures => ({
  own: entriesOf(own),
  wellKnown: entriesOf(wellKnown),
})
const callIn = (input: Hex, says: Said) => decodedInput(input, said(says))?.method_call ?? null

const abi = parseAbi(['function ping(address to, uint8[] codes)'])
const to = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const input = hex(encodeFunctionData({ abi, args: [to, [1, 2]] }))

test('a contract is decoded by what it says itself, then by what is well known', () => {
  const [own, known] = ['ping(address recipient, uint8[] marks)', 'ping(address, uint8[])']
  expect(callIn(input, {})).toBeNull()
  expect(callIn(input, { wellKnown: [known] })).toBe('ping(address arg0, uint8[] arg1)')
  expect(callIn(input, { own: [own], wellKnown: [known] })).toBe(
    'ping(address recipient, uint8[] marks)',
  )
  const elsewhere = 'ping(address, uint8[], uint256[9])'
  expect(callIn(input, { own: [elsewhere], wellKnown: [known] })).toBe(
    'ping(address arg0, uint8[] arg1)',
  )
})

test('its own word counts above the signatures that are built in', () => {
  const transfer = hex(
    `0xa9059cbb${encodeAbiParameters(parseAbiParameters('address, uint256'), [to, 5n]).slice(2)}`,
  )
  expect(callIn(transfer, {})).toBe('transfer(address to, uint256 value)')
  expect(callIn(transfer, { wellKnown: ['transfer(address dst, uint256 wad)'] })).toMatch(/ to,/)
  expect(callIn(transfer, { own: ['transfer(address dst, uint256 wad)'] })).toMatch(/ dst,/)
})

test('of several signatures of one selector the one that fits to the byte is taken', () => {
  const loose = 'join(bytes32, uint256)'
  expect(callIn(input, { wellKnown: [loose, 'ping(address, uint8[])'] })).toBe(
    'ping(address arg0, uint8[] arg1)',
  )
  const trailing = hex(`${input}00ff`)
  expect(callIn(trailing, { wellKnown: [loose, 'ping(address, uint8[])'] })).toBe(
    'join(bytes32 arg0, uint256 arg1)',
  )
  expect(callIn(trailing, { wellKnown: ['ping(address, uint8[])'] })).toBe(
    'ping(address arg0, uint8[] arg1)',
  )
})

test('a method has the likeliest name where no input is at hand', () => {
  expect(methodOf('0x12345678', noPublishedSignatures)).toBe('0x12345678')
  expect(methodOf('0x12345678', said({ wellKnown: ['one()', 'two()'] }))).toBe('one')
  expect(methodOf('0xa9059cbb', said({ wellKnown: ['many_msg_babbage(bytes1)'] }))).toBe('transfer')
})

test('parts of tuples keep their values where they have one name', () => {
  const content = encodeAbiParameters(parseAbiParameters('(uint8, uint8)'), [[1, 2]])
  const decoded = decodedInput(
    hex(`0x12345678${content.slice(2)}`),
    said({ own: ['f((uint8 a, uint8 a) pair)'] }),
  )
  expect(decoded?.parameters).toEqual([{ name: 'pair', type: '(uint8,uint8)', value: ['1', '2'] }])
})

const word = (value: bigint) => hash(`0x${value.toString(16).padStart(64, '0')}`)
const moved = eventTopic('Moved(address,address,uint256)')
const eventIn = (topics: readonly Hex[], data: Hex, says: Said) =>
  decodedEvent(topics.map(hash), data, said(says))?.method_call ?? null

test('logs are decoded by signatures that index as many inputs as they have topics', () => {
  const full = 'event Moved(address indexed from, address indexed to, uint256 amount)'
  const other = 'event Moved(address from, address to, uint256 indexed amount)'
  const topics = [moved, word(1n), word(2n)]
  expect(eventIn(topics, word(3n), { own: [other], wellKnown: [full] })).toMatch(/uint256 amount\)/)
  expect(eventIn(topics, word(3n), { own: [other] })).toBeNull()
  expect(eventIn([moved], word(3n), { wellKnown: [full] })).toBeNull()
})

test('where nothing is told to be indexed it is what comes first', () => {
  const bare = 'event Moved(address, address, uint256)'
  const topics = [moved, word(1n), word(2n)]
  expect(eventIn(topics, word(3n), { wellKnown: [bare] })).toBe(
    'Moved(address indexed arg0, address indexed arg1, uint256 arg2)',
  )
  const named = 'event Moved(address a, address b, uint256 indexed c)'
  const dirty = word(2n ** 200n)
  expect(eventIn([moved, dirty], hex(`0x${'0'.repeat(128)}`), { wellKnown: [bare, named] })).toBe(
    'Moved(address a, address b, uint256 indexed c)',
  )
})

test('a parameter without a name has that of its place (decision 66)', () => {
  const [text] = ['ping(address, uint8[] codes)']
  const { method_call, parameters } = decodedInput(input, said({ own: [text] })) ?? {}
  expect(method_call).toBe('ping(address arg0, uint8[] codes)')
  expect(parameters?.map(({ name }) => name)).toEqual(['arg0', 'codes'])
  const event = 'event Moved(address indexed, (uint256, address), uint256 amount)'
  const types = parseAbiParameters('uint256, address, uint256')
  const data = hex(encodeAbiParameters(types, [1n, to, 2n]))
  const topics = [
    eventTopic('Moved(address,(uint256,address),uint256)'),
    hash(`0x${'0'.repeat(64)}`),
  ]
  const log = decodedEvent(topics, data, said({ own: [event] }))
  // Parts of a tuple are shown by their types only, named or not.
  expect(log?.method_call).toBe(
    'Moved(address indexed arg0, (uint256,address) arg1, uint256 amount)',
  )
  expect(log?.parameters.map(({ name }) => name)).toEqual(['arg0', 'arg1', 'amount'])
})

test('the type function is 24 bytes, in lists, tuples and topics too', () => {
  const callback = `0x${'ab'.repeat(20)}12345678` as const
  const types = parseAbiParameters('bytes24, bytes24[], (bytes24, uint256)')
  const data = hex(encodeAbiParameters(types, [callback, [callback], [callback, 7n]]))
  const signature = 'Hook(function,function[],(function,uint256),function)'
  const event = 'event Hook(function callback, function[], (function, uint256), function indexed)'
  const topic = hash(`${callback}${'0'.repeat(16)}`)
  const log = decodedEvent([eventTopic(signature), topic], data, said({ own: [event] }))
  expect(log?.method_call).toBe(
    'Hook(function callback, function[] arg1, (function,uint256) arg2, function indexed arg3)',
  )
  expect(log?.parameters.map(({ value }) => value)).toEqual([
    callback,
    [callback],
    [callback, '7'],
    callback,
  ])
})
