import type { AbiParameter } from 'abitype'
import fc from 'fast-check'
import { decodeAbiParameters, encodeAbiParameters, getAddress, parseAbiParameters } from 'viem'
import { expect, test } from 'vitest'
import { type Hex, hex } from '../../chain/hex.ts'
import { decodedInput } from './decoded.ts'
import { decodedValues, isExact, revertReason } from './decoded-values.ts'

const word = (value: number): string => value.toString(16).padStart(64, '0')
const offsets = (count: number): string => word(32 * count).repeat(count)
const filled = (bytes: number): string => word(bytes) + '11'.repeat(bytes)

/** A list of `count` elements that all name one and the same `element`. */
const listOfOne = (count: number, element: string): string =>
  word(32) + word(count) + offsets(count) + element

/** On a busy machine a try may be disturbed: the first one within `boundMs`, else the shortest. */
const triesMax = 5
function shortestMs(run: () => unknown, boundMs: number): number {
  let shortest = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < triesMax && shortest >= boundMs; tries++) {
    const startedAt = performance.now()
    run()
    shortest = Math.min(shortest, performance.now() - startedAt)
  }
  return shortest
}

/** As long as a few hundred lists that are within the budget; without one it is thousands. */
const listsMax = 250

function timed<T>(run: () => T): T {
  const list = hex(`0x${word(32)}${word(1_000)}${word(1).repeat(1_000)}`)
  const oneMs = shortestMs(() => decodedValues(parseAbiParameters('address[] list'), list), 0)
  expect(shortestMs(run, listsMax * oneMs)).toBeLessThan(listsMax * oneMs)
  return run()
}

const pair = word(0x77) + word(64)
test.each([
  ['bytes[]', listOfOne(1_000, filled(60_000))],
  ['string[]', listOfOne(1_000, filled(64_000))],
  ['(address a, bytes b)[]', listOfOne(1_000, pair + filled(60_000))],
  ['(address a, bool c, bytes b)[]', listOfOne(900, word(1) + word(1) + word(96) + filled(60_000))],
  ['uint256[][]', listOfOne(900, word(900) + word(7).repeat(900))],
  ['uint256[2][][]', listOfOne(400, word(400) + word(7).repeat(800))],
  ['bytes[2][]', listOfOne(500, word(64) + word(64) + filled(60_000))],
  ['bytes[][]', listOfOne(100, word(100) + offsets(100) + filled(32_000))],
])('decodes no %s whose elements are one and the same long element', (type, content) => {
  const parameters = parseAbiParameters(`${type} list`)
  expect(timed(() => decodedValues(parameters, hex(`0x${content}`)))).toBeNull()
})

test('shows the input of a call in bundles raw where all calls are one', () => {
  const input = hex(`0xac9650d8${listOfOne(1_000, filled(60_000))}`)
  expect(timed(() => decodedInput(input))).toBeNull()
})

test('shows more values than a page could bear raw, and as many as it can decoded', () => {
  const of = (count: number): Hex => hex(`0x${word(32)}${word(count)}${word(1).repeat(count)}`)
  const list = parseAbiParameters('address[] list')
  expect(decodedValues(list, of(1_023))).not.toBeNull()
  expect(timed(() => decodedValues(list, of(1_024)))).toBeNull()
})

test('shows contents above 128 KiB raw', () => {
  const of = (bytes: number): Hex => hex(`0x${word(32)}${filled(bytes)}`)
  const bytes = parseAbiParameters('bytes b')
  expect(decodedValues(bytes, of(128 * 1024 - 64))).not.toBeNull()
  expect(decodedValues(bytes, of(128 * 1024 - 32))).toBeNull()
  const reason = hex(`0x08c379a0${of(128 * 1024).slice(2)}`)
  expect(revertReason(reason)).toBe(reason)
})

test.each([
  ['an offset beyond the end', 'bytes b', word(4_096)],
  ['an offset of 2^255', 'bytes b', `8${'0'.repeat(63)}`],
  ['a length beyond the end', 'bytes b', word(32) + word(33) + word(1)],
  ['a count beyond the end', 'uint256[] b', word(32) + word(2) + word(1)],
  ['a count of 2^32-1', 'uint256[0][] b', word(32) + word(2 ** 32 - 1)],
  ['no content', 'uint256 b', ''],
])('decodes nothing with %s', (_, type, content) => {
  expect(decodedValues(parseAbiParameters(type), hex(`0x${content}`))).toBeNull()
})

test('decodes elements that share a small place, as some encoders write them', () => {
  const empty = listOfOne(3, word(0))
  expect(decodedValues(parseAbiParameters('bytes[] b'), hex(`0x${empty}`))).toEqual([
    ['0x', '0x', '0x'],
  ])
})

const types = [
  ...['uint256 a, address b', 'bytes a', 'string[] a, uint256 b', '(address a, bytes b)[] c'],
  ...['(uint256 a, (bytes b, string[] c) d, bool e) f', 'uint8[3][] a, bytes[2] b', 'bytes4[] a'],
  ...['address[2][] a, (address a, (address[] b, bytes20 c)[2] d) b', 'bytes32 a, address[] b'],
]
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

/** Values of the library, as bodies show them. */
const shown = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? Object.values(value).map(shown) : String(value)

test(`decodes every canonical encoding as the library does (seed ${seed})`, () => {
  for (const type of types) {
    const parameters = parseAbiParameters(type)
    fc.assert(
      fc.property(fc.tuple(...parameters.map(someValue)), (values) => {
        const content = encodeAbiParameters(parameters, values)
        const ofLibrary = decodeAbiParameters(parameters, content)
        expect(decodedValues(parameters, hex(content))).toEqual(ofLibrary.map(shown))
      }),
      { seed, numRuns: 30 },
    )
  }
})

function someValue(parameter: AbiParameter): fc.Arbitrary<unknown> {
  const [, type = '', count] = /^(.*)\[(\d*)\]$/.exec(parameter.type) ?? []
  if (type !== '') {
    const size = count ? { minLength: Number(count), maxLength: Number(count) } : { maxLength: 5 }
    return fc.array(someValue({ ...parameter, type }), size)
  }
  if ('components' in parameter) {
    if (parameter.components.every(({ name }) => name === undefined)) {
      return fc.tuple(...parameter.components.map(someValue))
    }
    const parts = parameter.components.map((part) => [part.name ?? '', someValue(part)] as const)
    return fc.record(Object.fromEntries(parts))
  }
  if (parameter.type === 'string') return fc.string()
  if (parameter.type === 'bool') return fc.boolean()
  const [, sign, bits = '256'] = /^(u?)int(\d*)$/.exec(parameter.type) ?? []
  if (sign === 'u') return fc.bigInt(0n, 2n ** BigInt(bits) - 1n)
  if (sign === '') return fc.bigInt(-(2n ** (BigInt(bits) - 1n)), 2n ** (BigInt(bits) - 1n) - 1n)
  const fixed = /^bytes(\d+)$/.exec(parameter.type)?.[1]
  const bytes = parameter.type === 'address' ? 20 : fixed === undefined ? undefined : Number(fixed)
  const size = bytes === undefined ? { maxLength: 80 } : { minLength: bytes, maxLength: bytes }
  return fc.uint8Array(size).map((value) => `0x${Buffer.from(value).toString('hex')}`)
}

test('addresses and words are those of the library, whatever the words and their number', () => {
  const types = fc.array(fc.constantFrom('address', 'uint256', 'bytes32'), { minLength: 1 })
  fc.assert(
    fc.property(types, fc.uint8Array({ maxLength: 32 * 12 }), (all, bytes) => {
      const content = hex(`0x${Buffer.from(bytes).toString('hex')}`)
      const shown = decodedValues(
        all.map((type) => ({ type })),
        content,
      )
      expect(shown).toEqual(ofLibrary(all, content))
    }),
  )
})

function ofLibrary(types: readonly string[], content: Hex): string[] | null {
  try {
    const parameters = types.map((type) => ({ type: type === 'address' ? 'bytes32' : type }))
    return decodeAbiParameters(parameters, content).map((value, at) =>
      types[at] === 'address' ? getAddress(`0x${String(value).slice(-40)}`) : String(value),
    )
  } catch {
    return null
  }
}

const moreTypes = [
  ...[
    'int8 a, int256 b, int24 c',
    'uint24 a, uint48 b, uint56 c, bool d',
    'function a, bytes1[] b',
  ],
  ...['string a, string b', '(string a)[] a', 'uint256[2][2] a, (bool a, int16 b)[2] c'],
]

/** With types that the library knows, and without names, of two of which it would keep one. */
function nameless(parameter: AbiParameter): AbiParameter {
  const type = parameter.type.replace(/^function(?=\[|$)/, 'bytes24')
  return 'components' in parameter
    ? { type, components: parameter.components.map(nameless) }
    : { type }
}

function libraryReads(parameters: readonly AbiParameter[], content: Hex) {
  const bare = parameters.map(nameless)
  try {
    const values = decodeAbiParameters(bare, content)
    return { shown: values.map(shown), isExact: isExactTo(bare, values, content) }
  } catch {
    return null
  }
}

function isExactTo(bare: readonly AbiParameter[], values: readonly unknown[], content: Hex) {
  try {
    return encodeAbiParameters(bare, values) === content
  } catch {
    return false
  }
}

test(`reads whatever stands in an encoding as the library does (seed ${seed})`, () => {
  const change = fc.record({
    at: fc.nat(2_000),
    byte: fc.constantFrom(0, 1, 2, 32, 64, 0x80, 0xff),
  })
  for (const type of [...types, ...moreTypes]) {
    const parameters = parseAbiParameters(type)
    const encoded = fc.tuple(...parameters.map(nameless).map(someValue))
    fc.assert(
      fc.property(encoded, fc.array(change, { maxLength: 3 }), (values, changes) => {
        const bytes = Buffer.from(
          encodeAbiParameters(parameters.map(nameless), values).slice(2),
          'hex',
        )
        for (const { at, byte } of changes) bytes[at % bytes.length] = byte
        const content = hex(`0x${bytes.toString('hex')}`)
        const ofLibrary = libraryReads(parameters, content)
        const read = decodedValues(parameters, content)
        // Null also where elements share their places too often.
        if (read !== null || changes.length === 0) expect(read).toEqual(ofLibrary?.shown)
        expect(isExact(parameters, content)).toBe(ofLibrary?.isExact ?? false)
      }),
      { seed, numRuns: 60 },
    )
  }
})
