import type { Hex } from '../chain/hex.ts'

/** Bytes that a sink begins with; it doubles when they are full. */
const initialBytes = 64 * 1024

/** Writes ClickHouse's RowBinary: little-endian, strings with a varint length. */
export class RowSink {
  private buffer = Buffer.allocUnsafe(initialBytes)
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

  private room(bytes: number): void {
    if (this.end + bytes <= this.buffer.length) return
    const grown = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.end + bytes))
    this.buffer.copy(grown, 0, 0, this.end)
    this.buffer = grown
  }

  uint8(value: number): void {
    this.room(1)
    this.buffer[this.end++] = value
  }

  uint16(value: number): void {
    this.room(2)
    this.end = this.buffer.writeUInt16LE(value, this.end)
  }

  uint32(value: number): void {
    this.room(4)
    this.end = this.buffer.writeUInt32LE(value, this.end)
  }

  /** An integer below 2^53 as UInt64. */
  uint64(value: number): void {
    this.room(8)
    this.buffer.writeUInt32LE(value % 0x1_0000_0000, this.end)
    this.end = this.buffer.writeUInt32LE(Math.floor(value / 0x1_0000_0000), this.end + 4)
  }

  uint256(value: bigint): void {
    this.room(32)
    let rest = value
    for (let word = 0; word < 4; word++) {
      this.buffer.writeBigUInt64LE(BigInt.asUintN(64, rest), this.end)
      this.end += 8
      rest >>= 64n
    }
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
    this.room(bytes)
    this.end += this.buffer.write(value, this.end, 'utf8')
  }

  /** Hex as bytes of a known count (FixedString). */
  fixed(value: Hex, bytes: number): void {
    if (value.length !== 2 + bytes * 2) throw new Error(`expected ${bytes} bytes: ${value}`)
    this.room(bytes)
    this.end += this.buffer.write(value.slice(2), this.end, 'hex')
  }

  /** Hex as a String of raw bytes. */
  hex(value: Hex): void {
    const bytes = (value.length - 2) / 2
    this.varint(bytes)
    this.room(bytes)
    this.end += this.buffer.write(value.slice(2), this.end, 'hex')
  }
}

/** Reads RowBinary. @throws RangeError when the bytes end too early. */
export class RowSource {
  private at = 0
  private readonly buffer: Buffer

  constructor(buffer: Buffer) {
    this.buffer = buffer
  }

  get done(): boolean {
    return this.at >= this.buffer.length
  }

  private take(bytes: number): number {
    const start = this.at
    this.at += bytes
    if (this.at > this.buffer.length) throw new RangeError('row ends too early')
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
    let value = 0n
    for (let word = 3; word >= 0; word--) {
      value = (value << 64n) | this.buffer.readBigUInt64LE(start + word * 8)
    }
    return value
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
    const bytes = this.varint()
    const start = this.take(bytes)
    return this.buffer.toString('utf8', start, start + bytes)
  }

  fixed(bytes: number): Hex {
    const start = this.take(bytes)
    return `0x${this.buffer.toString('hex', start, start + bytes)}`
  }

  hex(): Hex {
    return this.fixed(this.varint())
  }
}
