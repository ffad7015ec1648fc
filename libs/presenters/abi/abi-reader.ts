import type { AbiParameter } from 'abitype'
import { type Elements, refuse, shapeOf, slotBytes } from './abi-shape.ts'

/** A decoded value as bodies show it: text, or lists of texts for arrays and tuples. */
export type ShownValue = string | readonly ShownValue[]

interface ReadLimits {
  readonly valuesMax: number
  /** Of contents and heads together; elements may share their place. */
  readonly bytesMax: number
}

/**
 * Decodes an ABI encoding into what bodies show, with limits: an encoding may name one element any
 * number of times. It reads as viem does, in a tenth of the time: viem follows no limit, copies
 * each value and checksums addresses beside our cache.
 */
export class AbiReader {
  readonly #bytes: Buffer
  #valuesLeft: number
  #bytesLeft: number
  readonly #limits: ReadLimits
  /** Whether the values so far encode to these bytes. */
  #isCanonical = true

  constructor(bytes: Buffer, limits: ReadLimits) {
    this.#bytes = bytes
    this.#limits = limits
    this.#valuesLeft = limits.valuesMax
    this.#bytesLeft = limits.bytesMax
  }

  /** Counted so far. */
  get used(): { readonly values: number; readonly bytes: number } {
    const { valuesMax, bytesMax } = this.#limits
    return { values: valuesMax - this.#valuesLeft, bytes: bytesMax - this.#bytesLeft }
  }

  /** @throws NotDecodable */
  all(parameters: readonly AbiParameter[]): { values: readonly ShownValue[]; isExact: boolean } {
    if (this.#bytes.length < slotBytes) refuse()
    const { values, end } = this.#members(parameters, 0)
    return { values, isExact: this.#isCanonical && end === this.#bytes.length }
  }

  /** Values side by side; their offsets count from `start`. `end`: of a canonical encoding. */
  #members(parameters: readonly AbiParameter[], start: number): Members {
    const values: ShownValue[] = []
    let at = start
    let end = start
    for (const parameter of parameters) end += shapeOf(parameter).headBytes
    for (const parameter of parameters) {
      const { isDynamic, headBytes } = shapeOf(parameter)
      if (--this.#valuesLeft < 0) refuse()
      const place = isDynamic ? start + this.#length(at) : at
      if (isDynamic && place !== end) this.#isCanonical = false
      const read = this.#content(parameter, place)
      values.push(read.value)
      if (isDynamic) end = read.end
      at += headBytes
    }
    return { values, end }
  }

  #content(parameter: AbiParameter, at: number): Content {
    const { elements, components, word } = shapeOf(parameter)
    if (elements !== null) return this.#array(elements, at)
    if (components !== null) {
      const { values, end } = this.#members(components, at)
      return { value: values, end }
    }
    if (word !== null) {
      this.#take(at, slotBytes)
      return { value: word(this, at), end: at + slotBytes }
    }
    return this.#long(parameter.type === 'string', at)
  }

  #array({ element, count }: Elements, at: number): Content {
    const length = count ?? this.#length(at)
    if (length > this.#valuesLeft) refuse()
    const start = count === null ? at + slotBytes : at
    const { values, end } = this.#members(Array<AbiParameter>(length).fill(element), start)
    return { value: values, end }
  }

  /** `string` or `bytes`. */
  #long(isText: boolean, at: number): Content {
    const length = this.#length(at)
    const begin = at + slotBytes
    this.#take(begin, length)
    const end = begin + Math.ceil(length / slotBytes) * slotBytes
    if (end > this.#bytes.length) this.#isCanonical = false
    else this.mustBeZero(begin + length, end)
    const value = isText ? this.#text(begin, length) : this.hex(begin, length)
    return { value, end }
  }

  #text(begin: number, length: number): string {
    const value = this.#bytes.toString('utf8', begin, begin + length)
    // Bytes that are no UTF-8 become U+FFFD, which may stand in the text itself, too.
    const isUtf8 =
      !value.includes('\ufffd') ||
      Buffer.from(value).equals(this.#bytes.subarray(begin, begin + length))
    const hasMark = value.startsWith('\ufeff')
    this.mustBe(isUtf8 && !hasMark)
    return hasMark ? value.slice(1) : value
  }

  /** An offset or a length. */
  #length(at: number): number {
    this.#take(at, slotBytes)
    if (!this.isZero(at, at + slotBytes - 4)) refuse()
    return this.#bytes.readUInt32BE(at + slotBytes - 4)
  }

  #take(at: number, count: number): void {
    this.#bytesLeft -= count
    if (this.#bytesLeft < 0 || at + count > this.#bytes.length) refuse()
  }

  hex(at: number, count: number): string {
    return `0x${this.#bytes.toString('hex', at, at + count)}`
  }

  uint256(at: number): bigint {
    return this.isZero(at, at + 24)
      ? this.#bytes.readBigUInt64BE(at + 24)
      : BigInt(this.hex(at, slotBytes))
  }

  isZero(begin: number, end: number): boolean {
    for (let at = begin; at < end; at++) if (this.#bytes[at] !== 0) return false
    return true
  }

  mustBeZero(begin: number, end: number): void {
    if (!this.isZero(begin, end)) this.#isCanonical = false
  }

  mustBe(isCanonical: boolean): void {
    if (!isCanonical) this.#isCanonical = false
  }
}

interface Members {
  readonly values: ShownValue[]
  readonly end: number
}
interface Content {
  readonly value: ShownValue
  readonly end: number
}
