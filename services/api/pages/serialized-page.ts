import type { Buckets, CollectedDependencies } from '../clock/dependencies.ts'
import type { Page, PageBody } from './page.ts'

const lengthBytes = 4
const bucketBytes = 4

/** All of a page but its numbers of buckets and its body's bytes, which follow as they are. */
interface Described extends Pick<Page, 'validFor'> {
  readonly dependencies: Omit<CollectedDependencies, 'exactly' | 'throttled'> & {
    readonly exactly: readonly Counted[]
    readonly throttled: readonly Counted[]
  }
  readonly body: Omit<PageBody, 'bytes'> | null
}

/** How many of the buckets that follow are a family's. */
type Counted = readonly [family: string, buckets: number]

/**
 * One run of bytes: length of the description, its JSON, the buckets as 32-bit integers
 * (little-endian), the body. A page of a hundred rows depends on hundreds of buckets: as JSON they
 * take longer to parse than all else of a read.
 */
export function serializePage({ body, dependencies, validFor }: Page): Buffer {
  const { bytes, ...besides } = body ?? { bytes: Buffer.alloc(0) }
  const { exactly, throttled } = dependencies
  const described = {
    validFor,
    dependencies: { ...dependencies, exactly: counted(exactly), throttled: counted(throttled) },
    body: body === null ? null : besides,
  }
  const json = Buffer.from(JSON.stringify(described))
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32LE(json.length)
  const buckets = [...exactly, ...throttled].map(([, of]) => bytesOf(Uint32Array.from(of)))
  return Buffer.concat([length, json, ...buckets, bytes])
}

const counted = (families: Buckets): Counted[] =>
  families.map(([family, buckets]) => [family, buckets.length])

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint32Array) =>
  Buffer.from(buffer, byteOffset, byteLength)

/** @returns a page whose body's bytes are a view of these; null for bytes of another format. */
export function deserializePage(serialized: Buffer): Page | null {
  try {
    const bucketsAt = lengthBytes + serialized.readUInt32LE(0)
    const described: Described = JSON.parse(serialized.toString('utf8', lengthBytes, bucketsAt))
    const { validFor, dependencies, body } = described
    const count = total(dependencies.exactly) + total(dependencies.throttled)
    const reader = new BucketReader(serialized, bucketsAt, count)
    const exactly = reader.next(dependencies.exactly)
    const throttled = reader.next(dependencies.throttled)
    const bytes = serialized.subarray(bucketsAt + count * bucketBytes)
    return {
      validFor,
      dependencies: { ...dependencies, exactly, throttled },
      body: body === null ? null : { ...body, bytes },
    }
  } catch {
    return null
  }
}

class BucketReader {
  private readonly buckets: Uint32Array
  private read = 0

  /** @throws RangeError where the bytes end before */
  constructor(serialized: Buffer, from: number, count: number) {
    const to = from + count * bucketBytes
    if (to > serialized.length) throw new RangeError('the page ends before its body')
    // Views of one copy: memory of its own for each family costs more than all else of a read.
    const { buffer, byteOffset } = Buffer.from(serialized.subarray(from, to))
    this.buckets = new Uint32Array(buffer, byteOffset, count)
  }

  next(families: readonly Counted[]): Buckets {
    return families.map(([family, count]) => {
      const from = this.read
      this.read += count
      return [family, this.buckets.subarray(from, this.read)]
    })
  }
}

function total(families: readonly Counted[]): number {
  let sum = 0
  for (const [, count] of families) sum += count
  return sum
}
