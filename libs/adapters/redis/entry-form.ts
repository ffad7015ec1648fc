import { promisify } from 'node:util'
import { deflateRaw, inflateRawSync } from 'node:zlib'
import type { CacheEntry } from '../../ports/cache.ts'

/**
 * Format of an entry in Redis: the format's number, the position as 16 digits, whether the bytes
 * are compressed, then the bytes. A script compares the digits as numbers without reading the rest.
 */
const format = '2'
const positionBytes = 17
const headBytes = positionBytes + 1
const forms = { plain: 'p', deflated: 'd' } as const

/** Below it, a few packets are saved at most, and each read costs some microseconds more. */
const deflatedBytesMin = 1_024
/** Read more often than written; level 1 takes longer to inflate (`benchmarks/NOTES.md`). */
const level = 4

const deflated = promisify(deflateRaw)

export async function encodeEntry({ bytes, position }: CacheEntry): Promise<Buffer> {
  const small = bytes.length < deflatedBytesMin ? null : await deflated(bytes, { level })
  const isDeflated = small !== null && small.length < bytes.length
  const digits = String(position).padStart(positionBytes - 1, '0')
  const head = `${format}${digits}${isDeflated ? forms.deflated : forms.plain}`
  return Buffer.concat([Buffer.from(head, 'latin1'), isDeflated ? small : bytes])
}

/** Null for a value of another format, or of more bytes than an entry has. */
export function decodeEntry(value: Buffer, bytesMax: number): CacheEntry | null {
  const head = value.toString('latin1', 0, headBytes)
  if (!/^2\d{16}[pd]$/.test(head)) return null
  const position = Number(head.slice(1, positionBytes))
  if (!Number.isSafeInteger(position)) return null
  const bytes = value.subarray(headBytes)
  if (head.endsWith(forms.plain)) return { bytes, position }
  try {
    return { bytes: inflateRawSync(bytes, { maxOutputLength: bytesMax }), position }
  } catch {
    return null
  }
}

/** KEYS: the entry; ARGV: its position, the encoded entry, its time to live in milliseconds. */
export const setUnlessNewerScript = `
local head = redis.call('GETRANGE', KEYS[1], 0, ${positionBytes - 1})
local kept = tonumber(string.sub(head, 2))
if kept and string.sub(head, 1, 1) == '${format}' and kept > tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`
