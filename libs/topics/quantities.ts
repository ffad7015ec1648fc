import { z } from 'zod'
import { timestampMax } from '../chain/block.ts'
import { type Address, type Hash, type Hex, isAddress, isHash, isHex } from '../chain/hex.ts'

/** The words that all topics share. On the wire: lower-case hex, decimal strings for amounts. */

export const addressText = z.custom<Address>((v) => typeof v === 'string' && isAddress(v), {
  error: 'not a lower-case address',
})
export const hashText = z.custom<Hash>((v) => typeof v === 'string' && isHash(v), {
  error: 'not a lower-case 32-byte hash',
})
export const hexText = z.custom<Hex>((v) => typeof v === 'string' && isHex(v), {
  error: 'not lower-case hex bytes',
})

const selectorForm = /^0x(?:[0-9a-f]{8}|[0-9a-f]{64})$/

/** Of a function its first four bytes, of an event its topic. */
export const selectorText = z.custom<Hex>((v) => typeof v === 'string' && selectorForm.test(v), {
  error: 'neither 4 nor 32 bytes of lower-case hex',
})

const uint256End = 1n << 256n
const decimalForm = /^(?:0|[1-9][0-9]{0,77})$/

/** An amount or token id, 0 .. 2^256-1, as a decimal string. */
export const amountText = z
  .string()
  .regex(decimalForm, 'not a decimal amount')
  .transform((text) => BigInt(text))
  .refine((value) => value < uint256End, 'amount above 2^256-1')

/** An integer that JavaScript holds exactly. */
export const integerNumber = z.int().nonnegative()

/** A time of the chain, in seconds since 1970. */
export const second = z.int().nonnegative().max(timestampMax, 'beyond the year 9999')

/** Levels of arrays and objects in JSON that strangers wrote: what reads it may recurse. */
export const jsonDepthMax = 64

/** JSON as it came, at most `jsonDepthMax` levels deep. */
export const shallowJson = z.custom<Json>((value) => isJson(value, jsonDepthMax), {
  error: `not JSON of at most ${jsonDepthMax} levels`,
})

/** A JSON object as it came, at most `charactersMax` long as text. */
export const shallowObject = (charactersMax: number) =>
  z
    .record(z.string(), shallowJson)
    // Not called with too deep a value, which would overflow the stack.
    .refine((value) => JSON.stringify(value).length <= charactersMax, {
      error: `JSON of more than ${charactersMax} characters`,
    })
    .describe(`at most ${charactersMax} characters as JSON`)

type Json = z.core.util.JSONType

/** Goes no deeper than `levelsMax`: `z.json()` overflows the stack instead. */
function isJson(value: unknown, levelsMax: number): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || levelsMax === 0) return false
  return Object.values(value).every((inner) => isJson(inner, levelsMax - 1))
}

/** A url as others published it. Of `charactersMax` at most. */
export const foreignUrl = (charactersMax: number) =>
  z
    .url()
    .max(charactersMax)
    .describe(
      'shown where it is http, https, ipfs, ar or data:image, as null where it is any other',
    )

/** Of a decimal number, written out. */
const decimalCharactersMax = 100
const numberForm = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,2}))?$/

/**
 * A price or another number with a fraction, never a float: decimal digits, in the end. The form
 * with an exponent (`1e-7`, as JSON prints small numbers) is read to the digit.
 */
export const decimalText = z
  .string()
  .max(decimalCharactersMax)
  .regex(numberForm, 'not a decimal number')
  .transform(writtenOut)
  .refine((text) => text.length <= decimalCharactersMax, {
    error: `a number of more than ${decimalCharactersMax} characters`,
  })

/** Moves the point of a number in exponent form; leaves others as they are. */
function writtenOut(text: string): string {
  const [, whole = '', fraction = '', exponent] = numberForm.exec(text) ?? []
  if (exponent === undefined) return text
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  const padded = digits.padStart(digits.length + Math.max(0, -point), '0').padEnd(point, '0')
  const at = Math.max(0, point)
  const integer = padded.slice(0, at).replace(/^0+/, '') || '0'
  const rest = padded.slice(at).replace(/0+$/, '')
  return rest === '' ? integer : `${integer}.${rest}`
}
