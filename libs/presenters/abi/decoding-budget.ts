import type { AbiParameter } from 'abitype'

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
export function fitsBudget(parameters: readonly AbiParameter[], bytes: Uint8Array): boolean {
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
