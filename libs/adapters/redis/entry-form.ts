import type { CacheEntry } from '../../ports/cache.ts'

/**
 * How an entry rests in Redis: the form's number, the position as 16 digits, then the bytes as
 * they are. Digits, because a script compares them as numbers without reading the rest.
 */
const form = '1'
const headBytes = 17

export function packedEntry({ bytes, position }: CacheEntry): Buffer {
  const head = form + String(position).padStart(headBytes - 1, '0')
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes])
}

/** Null for what no process of this form has written. */
export function unpackedEntry(value: Buffer): CacheEntry | null {
  const head = value.toString('latin1', 0, headBytes)
  if (!/^1\d{16}$/.test(head)) return null
  const position = Number(head.slice(1))
  // A copy: the reader's buffer holds the answers of many keys, and would live as long as one.
  return Number.isSafeInteger(position)
    ? { bytes: Buffer.from(value.subarray(headBytes)), position }
    : null
}

/** KEYS: the entry; ARGV: its position, its packed form, its time to live in milliseconds. */
export const keepUnlessHigherIsThere = `
local head = redis.call('GETRANGE', KEYS[1], 0, ${headBytes - 1})
local kept = tonumber(string.sub(head, 2))
if kept and string.sub(head, 1, 1) == '${form}' and kept > tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`
