import type { AbiParameter } from 'abitype'
import { address } from '../../chain/hex.ts'
import { checksum } from '../address.ts'

export const slotBytes = 32

/** The encoding leaves its bytes or its limits, or has a value that its type does not. */
export class NotDecodable extends Error {
  override readonly name = 'NotDecodable'
}

export const refuse = (): never => {
  throw new NotDecodable('does not fit')
}

/** An encoding of which words are read. */
interface WordSource {
  hex(at: number, count: number): string
  uint256(at: number): bigint
  /** Where it is false, the value does not encode to these bytes. */
  mustBe(isCanonical: boolean): void
  mustBeZero(begin: number, end: number): void
}

/** How a word is shown, and what a canonical one is. */
type Word = (reader: WordSource, at: number) => string

export interface Elements {
  readonly element: AbiParameter
  /** Null if the length is in the encoding. */
  readonly count: number | null
}

interface Shape {
  readonly isDynamic: boolean
  /** What a value takes beside its neighbours. */
  readonly headBytes: number
  readonly elements: Elements | null
  readonly components: readonly AbiParameter[] | null
  /** Null for what is no word. */
  readonly word: Word | null
}

/** By parameter: signatures are few, and the elements of an array share theirs. */
const shapes = new WeakMap<AbiParameter, Shape>()

export function shapeOf(parameter: AbiParameter): Shape {
  const known = shapes.get(parameter)
  if (known !== undefined) return known
  const made = madeShape(parameter)
  shapes.set(parameter, made)
  return made
}

function madeShape(parameter: AbiParameter): Shape {
  const elements = elementsOf(parameter)
  const none = { elements: null, components: null, word: null }
  if (elements !== null) {
    const { isDynamic, headBytes } = shapeOf(elements.element)
    if (elements.count === null || isDynamic) {
      return { ...none, isDynamic: true, headBytes: slotBytes, elements }
    }
    return { ...none, isDynamic: false, headBytes: headBytes * elements.count, elements }
  }
  if ('components' in parameter) {
    const { components } = parameter
    const isDynamic = components.some((one) => shapeOf(one).isDynamic)
    const bytes = components.reduce((sum, one) => sum + shapeOf(one).headBytes, 0)
    return { ...none, isDynamic, headBytes: isDynamic ? slotBytes : bytes, components }
  }
  const isDynamic = parameter.type === 'string' || parameter.type === 'bytes'
  return { ...none, isDynamic, headBytes: slotBytes, word: isDynamic ? null : wordOf(parameter) }
}

function elementsOf(parameter: AbiParameter): Elements | null {
  const [, type, count] = /^(.*)\[(\d*)\]$/.exec(parameter.type) ?? []
  if (type === undefined) return null
  return { element: { ...parameter, type }, count: count ? Number(count) : null }
}

const addressBytes = 20
/** viem makes numbers of integers up to this size. */
const numberBitsMax = 48

function wordOf({ type }: AbiParameter): Word {
  if (type === 'address') return addressWord
  if (type === 'bool') return boolWord
  if (type === 'function') return fixedBytesWord(24)
  const [, kind, size] = /^(u?int|bytes)(\d*)$/.exec(type) ?? []
  if (kind === 'bytes' && Number(size) <= slotBytes) return fixedBytesWord(Number(size))
  if (kind === 'uint') return uintWord(Number(size || 256))
  if (kind === 'int') return intWord(Number(size || 256))
  return refuse
}

const addressWord: Word = (reader, at) => {
  const begin = at + slotBytes - addressBytes
  reader.mustBeZero(at, begin)
  return checksum(address(reader.hex(begin, addressBytes)))
}

const boolWord: Word = (reader, at) => {
  const value = reader.uint256(at)
  return value > 1n ? refuse() : String(value === 1n)
}

const fixedBytesWord =
  (count: number): Word =>
  (reader, at) => {
    reader.mustBeZero(at + count, at + slotBytes)
    return reader.hex(at, count)
  }

/** viem refuses what is no safe integer. */
const asNumber = (value: bigint): string => {
  const number = Number(value)
  return Number.isSafeInteger(number) ? String(number) : refuse()
}

const uintWord = (bits: number): Word => {
  const max = (1n << BigInt(bits)) - 1n
  return (reader, at) => {
    const value = reader.uint256(at)
    reader.mustBe(value <= max)
    return bits > numberBitsMax ? value.toString() : asNumber(value)
  }
}

const intWord = (bits: number): Word => {
  const limit = 1n << BigInt(bits - 1)
  return (reader, at) => {
    const value = BigInt.asIntN(256, reader.uint256(at))
    reader.mustBe(value >= -limit && value < limit)
    return bits > numberBitsMax ? value.toString() : asNumber(value)
  }
}
