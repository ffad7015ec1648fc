import type { Drawn } from './drawn.ts'

const headBytes = 4

/** One run of bytes: length of the JSON of all but the body, that JSON, the body. */
export function toShared({ page, ...rest }: Drawn): Buffer {
  const { body, ...besides } = page ?? { body: Buffer.alloc(0) }
  const head = Buffer.from(JSON.stringify({ ...rest, page: page === null ? null : besides }))
  const size = Buffer.alloc(headBytes)
  size.writeUInt32LE(head.length)
  return Buffer.concat([size, head, body])
}

/** @returns null for bytes that nobody here has written. */
export function fromShared(bytes: Buffer): Drawn | null {
  try {
    const bodyAt = headBytes + bytes.readUInt32LE(0)
    const { page, ...rest } = JSON.parse(bytes.toString('utf8', headBytes, bodyAt))
    return { ...rest, page: page === null ? null : { ...page, body: bytes.subarray(bodyAt) } }
  } catch {
    return null
  }
}
