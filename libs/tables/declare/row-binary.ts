import type { Hex } from '../../chain/hex.ts'
import { RowCut } from '../../ports/store.ts'

/** Bytes that a sink begins with; it doubles when they are full. */
const initialBytes = 64 * 1024

/** Values of hex digits by character code; 255 for other characters. */
const nibbles = new Uint8Array(128).fill(255)
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16)
  nibbles[digit.charCodeAt(0)] = value
  nibbles[digit.toUpperCase().charCodeAt(0)] = value
}
const nibble = (text: string, at: number) => nibbles[text.charCodeAt(at)] ?? 255

const uint64Max = 0xffff_ffff_ffff_ffffn

/**
 * Writes ClickHouse's RowBinary: little-endian, strings with a varint length.
 * @throws RangeError for a value that its column cannot hold: nothing is cut in silence.
 */
export class RowSink {
  private buffer = Buffer.allocUnsafe(initialBytes)
  private view = viewOf(this.buffer)
  private end = 0

  get size(): number {
    return this.end
  }

  /** The bytes written so far; valid until the next write. */
  bytes(): Buffer {
    return this.buffer.subarray(0, this.end)
  }

  clear(): void {
    this.end = 0
  }

  /** The bytes of another sink, which stay there. */
  append(other: RowSink): void {
    const start = this.take(other.end)
    other.buffer.copy(this.buffer, start, 0, other.end)
  }

  /** @returns where the next `bytes` bytes go. Growing replaces `buffer` and `view`: take first. */
  private take(bytes: number): number {
    const start = this.end
    this.end += bytes
    if (this.end > this.buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.end))
      this.buffer.copy(grown, 0, 0, start)
      this.buffer = grown
      this.view = viewOf(grown)
    }
    return start
  }

  uint8(value: number): void {
    const at = this.take(1)
    this.view.setUint8(at, within(value, 0xff))
  }

  uint16(value: number): void {
    const at = this.take(2)
    this.view.setUint16(at, within(value, 0xffff), true)
  }

  uint32(value: number): void {
    const at = this.take(4)
    this.view.setUint32(at, within(value, 0xffff_ffff), true)
  }

  /** An integer below 2^53 as UInt64. */
  uint64(value: number): void {
    within(value, Number.MAX_SAFE_INTEGER)
    const at = this.take(8)
    this.view.setUint32(at, value % 0x1_0000_0000, true)
    this.view.setUint32(at + 4, Math.floor(value / 0x1_0000_0000), true)
  }

  uint256(value: bigint): void {
    if (value < 0n) throw new RangeError(`negative amount: ${value}`)
    let at = this.take(32)
    // Most amounts fit into the first of the four words.
    if (value <= uint64Max) {
      this.view.setBigUint64(at, value, true)
      for (let word = 8; word < 32; word += 8) this.view.setFloat64(at + word, 0, true)
      return
    }
    let rest = value
    for (let word = 0; word < 4; word++) {
      this.view.setBigUint64(at, rest, true)
      at += 8
      rest >>= 64n
    }
    if (rest !== 0n) throw new RangeError(`amount of 2^256 or more: ${value}`)
  }

  varint(value: number): void {
    let rest = value
    while (rest >= 0x80) {
      this.uint8((rest % 0x80) | 0x80)
      rest = Math.floor(rest / 0x80)
    }
    this.uint8(rest)
  }

  text(value: string): void {
    const bytes = Buffer.byteLength(value)
    this.varint(bytes)
    this.utf8(value, bytes)
  }

  /** A text with its length in four bytes, as a body holds it. */
  packedText(value: string): void {
    const bytes = Buffer.byteLength(value)
    this.uint32(bytes)
    this.utf8(value, bytes)
  }

  private utf8(value: string, bytes: number): void {
    const start = this.take(bytes)
    this.buffer.write(value, start, 'utf8')
  }

  zeros(bytes: number): void {
    const start = this.take(bytes)
    this.buffer.fill(0, start, start + bytes)
  }

  /** Hex as bytes of a known count (FixedString). */
  fixed(value: Hex, bytes: number): void {
    if (value.length !== 2 + bytes * 2) throw new RangeError(`expected ${bytes} bytes: ${value}`)
    this.digits(value, this.take(bytes))
  }

  /** Hex as a String of raw bytes. */
  hex(value: Hex): void {
    const bytes = (value.length - 2) / 2
    this.varint(bytes)
    this.rawBytes(value, bytes)
  }

  /** Hex as raw bytes with their count in four bytes, as a body holds it. */
  packedHex(value: Hex): void {
    const bytes = (value.length - 2) / 2
    this.uint32(bytes)
    this.rawBytes(value, bytes)
  }

  private rawBytes(value: Hex, bytes: number): void {
    const start = this.take(bytes)
    // A call into the engine of Node pays for long texts only.
    if (bytes <= shortBytesMax) this.digits(value, start)
    else if (this.buffer.write(value.slice(2), start, 'hex') !== bytes) throw notHex(value)
  }

  private digits(value: Hex, start: number): void {
    let at = start
    let seen = 0
    for (let digit = 2; digit < value.length; digit += 2) {
      const high = nibble(value, digit)
      const low = nibble(value, digit + 1)
      seen |= high | low
      this.buffer[at++] = (high << 4) | low
    }
    if (seen > 15) throw notHex(value)
  }
}

const shortBytesMax = 64

const viewOf = (buffer: Buffer) => new DataView(buffer.buffer, buffer.byteOffset, buffer.length)

const notHex = (value: string) => new RangeError(`not hex: ${value.slice(0, 80)}`)

function within(value: number, max: number): number {
  if (Number.isInteger(value) && value >= 0 && value <= max) return value
  throw new RangeError(`not an integer in 0..${max}: ${value}`)
}

/** Reads RowBinary. @throws RowCut when the bytes end too early. */
export class RowSource {
  private at = 0
  private readonly buffer: Buffer

  constructor(buffer: Buffer) {
    this.buffer = buffer
  }

  get done(): boolean {
    return this.at >= this.buffer.length
  }

  get bytesRead(): number {
    return this.at
  }

  private take(bytes: number): number {
    const start = this.at
    this.at += bytes
    if (this.at > this.buffer.length) throw new RowCut('row ends too early')
    return start
  }

  uint8(): number {
    return this.buffer.readUInt8(this.take(1))
  }

  uint16(): number {
    return this.buffer.readUInt16LE(this.take(2))
  }

  uint32(): number {
    return this.buffer.readUInt32LE(this.take(4))
  }

  uint64(): number {
    const start = this.take(8)
    const high = this.buffer.readUInt32LE(start + 4)
    if (high >= 0x20_0000) throw new RangeError('integer above 2^53-1')
    return high * 0x1_0000_0000 + this.buffer.readUInt32LE(start)
  }

  uint256(): bigint {
    const start = this.take(32)
    // Most amounts fit into the first of the four words.
    if (this.isZero(start + 8, start + 32)) return this.buffer.readBigUInt64LE(start)
    let value = 0n
    for (let word = 3; word >= 0; word--) {
      value = (value << 64n) | this.buffer.readBigUInt64LE(start + word * 8)
    }
    return value
  }

  private isZero(start: number, end: number): boolean {
    for (let at = start; at < end; at++) if (this.buffer[at] !== 0) return false
    return true
  }

  varint(): number {
    let value = 0
    let scale = 1
    for (;;) {
      const byte = this.uint8()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
      scale *= 0x80
    }
  }

  text(): string {
    return this.utf8(this.varint())
  }

  packedText(): string {
    return this.utf8(this.uint32())
  }

  private utf8(bytes: number): string {
    const start = this.take(bytes)
    return this.buffer.toString('utf8', start, start + bytes)
  }

  skip(bytes: number): void {
    this.take(bytes)
  }

  fixed(bytes: number): Hex {
    const start = this.take(bytes)
    return `0x${this.buffer.toString('hex', start, start + bytes)}`
  }

  hex(): Hex {
    return this.fixed(this.varint())
  }

  packedHex(): Hex {
    return this.fixed(this.uint32())
  }
}
