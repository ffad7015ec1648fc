import { z } from 'zod'

/** The words that all shapes share. Amounts are decimal text: a number would lose digits. */

export const checksummed = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
export const lowerAddress = z.string().regex(/^0x[0-9a-f]{40}$/)
export const hash = z.string().regex(/^0x[0-9a-f]{64}$/)
export const bytes = z.string().regex(/^0x(?:[0-9a-f]{2})*$/)
export const amount = z.string().regex(/^[0-9]+$/)
export const integer = z.int().nonnegative()
export const moment = z.iso.datetime({ precision: 6 })
/** A price, a rate or a capitalisation. */
export const rate = z.string().nullable()
export const words = z.string().nullable()
/** Of others: see `../safe-url.ts`. */
export const url = z
  .string()
  .regex(/^(?:(?:https?|ipfs|ar):\/\/|data:image\/)/i)
  .nullable()
  .describe('http, https, ipfs, ar or data:image, else null. An SVG may hold scripts: use <img>.')
