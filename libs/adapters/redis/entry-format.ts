import type { CacheEntry } from '../../ports/cache.ts'

/**
 * Format of an entry in Redis: the format's number, the position as 16 digits, then the bytes. A
 * script compares the digits as numbers without reading the rest.
 */
const format = '1'
const headBytes = 17

export function encodeEntry({ bytes, position }: CacheEntry): Buffer {
  const head = format + String(position).padStart(headBytes - 1, '0')
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes])
}

/** Null for a value of another format. */
export function decodeEntry(value: Buffer): CacheEntry | null {
  const head = value.toString('latin1', 0, headBytes)
  if (!/^1\d{16}$/.test(head)) return null
  const position = Number(head.slice(1))
  // A copy: a slice would retain the buffer of the whole response.
  return Number.isSafeInteger(position)
    ? { bytes: Buffer.from(value.subarray(headBytes)), position }
    : null
}

/** KEYS: the entry; ARGV: its position, the encoded entry, its time to live in milliseconds. */
export const setUnlessNewerScript = `
local head = redis.call('GETRANGE', KEYS[1], 0, ${headBytes - 1})
local kept = tonumber(string.sub(head, 2))
if kept and string.sub(head, 1, 1) == '${format}' and kept > tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`
