import { type Hex, isHex } from '../../chain/hex.ts'

/** Results of contract calls are untrusted: null for whatever is malformed. */

const wordDigits = 64
/** As long as topic `blocks` allows; names of spam run to megabytes. */
const textCharactersMax = 1024
const decimalsMax = 255

/** The first 32-byte word of an answer, 0 .. 2^256-1. */
export function decodeUint(answer: unknown): bigint | null {
  const digits = digitsOf(answer)
  if (digits === null || digits.length < wordDigits) return null
  return BigInt(`0x${digits.slice(0, wordDigits)}`)
}

/** True only for a clean ABI `true`. */
export const decodeBool = (answer: unknown): boolean =>
  digitsOf(answer)?.length === wordDigits && decodeUint(answer) === 1n

export function decodeDecimals(answer: unknown): number | null {
  const value = decodeUint(answer)
  return value === null || value > decimalsMax ? null : Number(value)
}

/** An ABI string, or the bytes32 of early tokens; null for anything that is not clean text. */
export function decodeText(answer: unknown): string | null {
  const digits = digitsOf(answer)
  if (digits === null) return null
  if (digits.length === wordDigits) return utf8(digits.replace(/(?:00)+$/, ''))
  const offset = smallWord(digits, 0)
  if (offset === null) return null
  const length = smallWord(digits, offset * 2)
  if (length === null || length > textCharactersMax * 4) return null
  const start = offset * 2 + wordDigits
  const text = digits.slice(start, start + length * 2)
  return text.length === length * 2 ? utf8(text) : null
}

const strict = new TextDecoder('utf-8', { fatal: true })

/** PostgreSQL and people agree: text holds no NUL. */
function utf8(digits: string): string | null {
  try {
    const text = strict.decode(Buffer.from(digits, 'hex'))
    return text.includes('\0') || text.length > textCharactersMax ? null : text
  } catch {
    return null
  }
}

/** An offset or length that can lie inside the answer. */
function smallWord(digits: string, at: number): number | null {
  const word = digits.slice(at, at + wordDigits)
  if (word.length < wordDigits) return null
  const value = BigInt(`0x${word}`)
  return value <= BigInt(digits.length) ? Number(value) : null
}

function digitsOf(answer: unknown): string | null {
  if (typeof answer !== 'string') return null
  const lower = answer.toLowerCase()
  return isBytes(lower) ? lower.slice(2) : null
}

const isBytes = (text: string): text is Hex => isHex(text)
