import type { AbiParameter } from 'abitype'
import { decodeAbiParameters, encodeAbiParameters, hexToBytes } from 'viem'
import { address, type Hex } from '../../chain/hex.ts'
import { checksum } from '../address.ts'

/** Longer inputs, log data and revert reasons are shown raw only. */
const decodedContentBytesMax = 128 * 1024

/**
 * Whether the values of {@link decodedValues} encode to exactly these bytes. It selects between the
 * signatures of one selector; some encoders write calls that match no signature exactly.
 */
export function isExact(parameters: readonly AbiParameter[], content: Hex): boolean {
  try {
    const bare = parameters.map(nameless)
    return encodeAbiParameters(bare, decodeAbiParameters(bare, content)) === content
  } catch {
    return false
  }
}

/**
 * The values of an encoding, one a parameter; null if it does not fit, or is more than may be
 * decoded. The only door to the library's decoder: it follows any offset, however often named.
 */
export function decodedValues(
  parameters: readonly AbiParameter[],
  content: Hex,
): readonly ShownValue[] | null {
  if (parameters.length === 0) return []
  if (content.length > 2 + 2 * decodedContentBytesMax) return null
  try {
    const words = wordValues(parameters, content)
    if (words !== null) return words
    const bytes = hexToBytes(content)
    if (!fitsBudget(parameters, bytes)) return null
    const values: readonly unknown[] = decodeAbiParameters(parameters.map(asWords), bytes)
    return parameters.map((parameter, at) => shownValue(parameter, values[at]))
  } catch {
    // Anyone can send anything.
    return null
  }
}

/** How a word of these types is shown; an address counts by its last digits, as in the library. */
const shownWords: ReadonlyMap<string, (word: string) => string> = new Map([
  ['address', (word) => checksum(address(`0x${word.slice(-addressDigits)}`))],
  ['uint256', (word) => BigInt(`0x${word}`).toString()],
  ['bytes32', (word) => `0x${word}`],
])

const wordDigits = 64

/**
 * The values of `(address,uint256)` and its like, the inputs of most calls, without the library:
 * 0.7 us instead of 4.7. Null for all others, and where the encoding ends too early.
 */
function wordValues(parameters: readonly AbiParameter[], content: Hex): string[] | null {
  if (parameters.length > decodedValuesMax || content.length % 2 !== 0) return null
  const values: string[] = []
  for (const { type } of parameters) {
    const begin = '0x'.length + values.length * wordDigits
    const word = content.slice(begin, begin + wordDigits)
    const shown = shownWords.get(type)
    if (shown === undefined || word.length < wordDigits) return null
    values.push(shown(word))
  }
  return values
}

/** `function`, an address and a selector, is encoded as 24 bytes; the library does not know it. */
const withBytes = (type: string): string => type.replace(/^function(?=\[|$)/, 'bytes24')

/** Parts of tuples become lists: of two with one name the library would keep one. */
function nameless(parameter: AbiParameter): AbiParameter {
  const type = withBytes(parameter.type)
  return 'components' in parameter
    ? { type, components: parameter.components.map(nameless) }
    : { type }
}

/** Addresses as words: the library would checksum them, for more and beside our cache. */
function asWords(parameter: AbiParameter): AbiParameter {
  const type = withBytes(parameter.type.replace(/^address(?=\[|$)/, 'bytes32'))
  return 'components' in parameter
    ? { type, components: parameter.components.map(asWords) }
    : { type }
}

/** A decoded value as bodies show it: text, or lists of texts for arrays and tuples. */
export type ShownValue = string | readonly ShownValue[]

const addressDigits = 40

/** Integers in decimal, bytes as hex, tuples as lists; addresses checksummed. */
function shownValue(parameter: AbiParameter, value: unknown): ShownValue {
  if (Array.isArray(value)) {
    const element = elementsOf(parameter)?.element
    if (element !== undefined) return value.map((one) => shownValue(element, one))
    const components = 'components' in parameter ? parameter.components : []
    return components.map((component, at) => shownValue(component, value[at]))
  }
  const text = String(value)
  return parameter.type === 'address' ? checksum(address(`0x${text.slice(-addressDigits)}`)) : text
}

/** A parameter's type as signatures write it: tuples by their parts. */
export function typeText(parameter: AbiParameter): string {
  if (!('components' in parameter)) return parameter.type
  const parts = parameter.components.map(typeText).join(',')
  return `(${parts})${parameter.type.slice('tuple'.length)}`
}

const errorSelector = '0x08c379a0'
const panicSelector = '0x4e487b71'

/** Why a transaction reverted: the decoded reason, else the raw hex, null when there is none. */
export function revertReason(returned: Hex | null): string | null {
  if (returned === null || returned === '0x') return null
  return decodedReason(returned) ?? returned
}

/** Whatever does not decode is shown raw. */
function decodedReason(returned: Hex): string | null {
  const content: Hex = `0x${returned.slice(10)}`
  if (returned.startsWith(errorSelector)) return onlyText('string', content)
  const code = returned.startsWith(panicSelector) ? onlyText('uint256', content) : null
  return code === null ? null : `Panic(${code})`
}

function onlyText(type: 'string' | 'uint256', content: Hex): string | null {
  const [value] = decodedValues([{ type }], content) ?? []
  return typeof value === 'string' ? value : null
}

/** More leaves, arrays and tuples than this are shown raw: every row of a page may hold them. */
const decodedValuesMax = 1_024

/**
 * Bytes read for one byte sent. A canonical encoding names each byte once; some encoders let equal
 * elements share their place. Without this N offsets to one element of L bytes make N * L.
 */
const readBytesPerByteMax = 2

const slotBytes = 32

/**
 * Whether an encoding can be decoded within its budget: walks all offsets, reading no contents.
 * @param bytes what follows the selector.
 */
function fitsBudget(parameters: readonly AbiParameter[], bytes: Uint8Array): boolean {
  return new Walk(bytes).members(parameters, 0)
}

/** Every step is false where the encoding leaves its bytes or its budget. */
class Walk {
  private readonly bytes: Uint8Array
  private bytesLeft: number
  private valuesLeft = decodedValuesMax

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.bytesLeft = bytes.length * readBytesPerByteMax
  }

  /** Values side by side; their offsets count from `start`. */
  members(parameters: readonly AbiParameter[], start: number): boolean {
    let at = start
    for (const parameter of parameters) {
      if (!this.value(parameter, at, start)) return false
      at += headBytes(parameter)
    }
    return true
  }

  /** Checks one value whose head is at `at`. */
  private value(parameter: AbiParameter, at: number, start: number): boolean {
    if (--this.valuesLeft < 0) return false
    if (!isDynamic(parameter)) return this.content(parameter, at)
    const offset = this.length(at)
    return offset !== null && this.content(parameter, start + offset)
  }

  private content(parameter: AbiParameter, at: number): boolean {
    const array = elementsOf(parameter)
    if (array !== null) return this.array(array, at)
    if ('components' in parameter) return this.members(parameter.components, at)
    if (!isDynamic(parameter)) return this.take(at, slotBytes)
    const length = this.length(at)
    return length !== null && this.take(at + slotBytes, length)
  }

  private array({ element, count }: Elements, at: number): boolean {
    const length = count ?? this.length(at)
    const start = count === null ? at + slotBytes : at
    if (length === null || length > this.valuesLeft) return false
    return this.members(Array<AbiParameter>(length).fill(element), start)
  }

  /** An offset or a length. */
  private length(at: number): number | null {
    if (!this.take(at, slotBytes)) return null
    const word = this.bytes.subarray(at, at + slotBytes)
    if (word.subarray(0, slotBytes - 4).some((byte) => byte !== 0)) return null
    return word.subarray(slotBytes - 4).reduce((value, byte) => value * 256 + byte, 0)
  }

  private take(at: number, count: number): boolean {
    this.bytesLeft -= count
    return this.bytesLeft >= 0 && at + count <= this.bytes.length
  }
}

interface Elements {
  readonly element: AbiParameter
  /** Null if the length is in the encoding. */
  readonly count: number | null
}

function elementsOf(parameter: AbiParameter): Elements | null {
  const [, type, count] = /^(.*)\[(\d*)\]$/.exec(parameter.type) ?? []
  if (type === undefined) return null
  return { element: { ...parameter, type }, count: count ? Number(count) : null }
}

function isDynamic(parameter: AbiParameter): boolean {
  const array = elementsOf(parameter)
  if (array !== null) return array.count === null || isDynamic(array.element)
  if ('components' in parameter) return parameter.components.some(isDynamic)
  return parameter.type === 'string' || parameter.type === 'bytes'
}

/** What a value takes beside its neighbours. */
function headBytes(parameter: AbiParameter): number {
  if (isDynamic(parameter)) return slotBytes
  const array = elementsOf(parameter)
  if (array !== null) return headBytes(array.element) * (array.count ?? 0)
  if (!('components' in parameter)) return slotBytes
  return parameter.components.reduce((sum, component) => sum + headBytes(component), 0)
}
