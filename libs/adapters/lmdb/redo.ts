export type Write = readonly [key: Buffer, value: Buffer | null]

/** Written as the length of a value that removes its key. */
const absent = 0xffff_ffff

/** Writes as one value. Each: length of the key (2 bytes), of the value (4), key, value. */
export function encodeWrites(writes: readonly Write[]): Buffer {
  const chunkWrites: Buffer[] = []
  for (const [key, value] of writes) {
    const head = Buffer.allocUnsafe(6)
    head.writeUInt16BE(key.length, 0)
    head.writeUInt32BE(value === null ? absent : value.length, 2)
    chunkWrites.push(head, key)
    if (value !== null) chunkWrites.push(value)
  }
  return Buffer.concat(chunkWrites)
}

/** @throws RangeError if the bytes end too early. */
export function decodeWrites(bytes: Buffer): Write[] {
  const writes: Write[] = []
  for (let at = 0; at < bytes.length; ) {
    const keyAt = at + 6
    const valueAt = keyAt + bytes.readUInt16BE(at)
    const length = bytes.readUInt32BE(at + 2)
    at = valueAt + (length === absent ? 0 : length)
    if (at > bytes.length) throw new RangeError('a write ends too early')
    const value = length === absent ? null : bytes.subarray(valueAt, at)
    writes.push([bytes.subarray(keyAt, valueAt), value])
  }
  return writes
}

/** Ascending by key, so that a part touches few pages; of each key the last write. */
export function sortWrites(writes: readonly Write[]): Write[] {
  const sorted = [...writes].sort(([one], [other]) => Buffer.compare(one, other))
  return sorted.filter(([key], at) => sorted[at + 1]?.[0].equals(key) !== true)
}

export function* parts<T>(of: readonly T[], countMax: number): Iterable<readonly T[]> {
  for (let at = 0; at < of.length; at += countMax) yield of.slice(at, at + countMax)
}
