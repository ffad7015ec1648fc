/** Longest name or symbol that a schema lets through is 1,024 characters; four bytes each. */
const scratchBytes = 16 * 1024

const digits = (value: bigint): string => {
  const text = value.toString(16)
  return text.length % 2 === 0 ? text : `0${text}`
}

/**
 * Writes the stored form of a small value: integers as varints, amounts as their least bytes.
 * One scratch for all: `done()` copies what was written and starts anew.
 */
class BinaryWriter {
  private readonly scratch = Buffer.allocUnsafe(scratchBytes)
  private end = 0

  byte(value: number): this {
    this.scratch[this.end++] = value
    return this
  }

  /**
   * An integer from 0 below 2^53.
   * @throws RangeError for any other: what it would write cannot be read
   */
  integer(value: number): this {
    if (!Number.isSafeInteger(value) || value < 0) this.refuse(value)
    let rest = value
    while (rest >= 0x80) {
      this.scratch[this.end++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.scratch[this.end++] = rest
    return this
  }

  /** An amount below 2^2032; a length byte, then its bytes, greatest first; zero has none. */
  amount(value: bigint): this {
    if (value === 0n) return this.byte(0)
    if (value < 0n) this.refuse(value)
    const text = digits(value)
    this.byte(text.length / 2)
    this.end += this.scratch.write(text, this.end, 'hex')
    return this
  }

  text(value: string): this {
    this.integer(Buffer.byteLength(value))
    this.end += this.scratch.write(value, this.end, 'utf8')
    return this
  }

  /** Hex digits without 0x, of a length that the reader knows. */
  fixed(value: string): this {
    this.end += this.scratch.write(value, this.end, 'hex')
    return this
  }

  /** The next value begins anew. */
  private refuse(value: number | bigint): never {
    this.end = 0
    throw new RangeError(`${value} has no stored form`)
  }

  done(): Buffer {
    const bytes = Buffer.from(this.scratch.subarray(0, this.end))
    this.end = 0
    return bytes
  }
}

/** Reads what a BinaryWriter wrote. @throws RangeError when the bytes end too early. */
export class BinaryReader {
  private at = 0
  private readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  private take(count: number): number {
    const start = this.at
    this.at += count
    if (this.at > this.bytes.length) throw new RangeError('stored value ends too early')
    return start
  }

  byte(): number {
    return this.bytes.readUInt8(this.take(1))
  }

  integer(): number {
    let value = 0
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.byte()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
  }

  amount(): bigint {
    const count = this.byte()
    return count === 0 ? 0n : BigInt(`0x${this.fixed(count)}`)
  }

  text(): string {
    const count = this.integer()
    const start = this.take(count)
    return this.bytes.toString('utf8', start, start + count)
  }

  fixed(count: number): string {
    const start = this.take(count)
    return this.bytes.toString('hex', start, start + count)
  }
}

/** The writer that all entities share: folds are synchronous. */
export const writer = new BinaryWriter()
