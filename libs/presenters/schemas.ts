import { z } from 'zod'

/** Parts that schemas of bodies share. Amounts are decimal text: a number would lose digits. */

export const checksummedString = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
export const lowerAddressString = z.string().regex(/^0x[0-9a-f]{40}$/)
export const hashString = z.string().regex(/^0x[0-9a-f]{64}$/)
export const bytesString = z.string().regex(/^0x(?:[0-9a-f]{2})*$/)
export const decimalString = z.string().regex(/^[0-9]+$/)
export const integer = z.int().nonnegative()
export const timeString = z.iso.datetime({ precision: 6 })
/** A price, a rate or a capitalisation. */
export const decimalOrNull = z.string().nullable()
export const textOrNull = z.string().nullable()
/** Of others: see `../safe-url.ts`. */
export const urlOrNull = z
  .string()
  .regex(/^(?:(?:https?|ipfs|ar):\/\/|data:image\/)/i)
  .nullable()
/** What every URL of others says of itself. */
export const urlText =
  'http, https, ipfs, ar or data:image, else null. An SVG may hold scripts: use <img>.'

/** Schemas that the OpenAPI document prints under names of their own. */
export const shapes = z.registry<{ readonly id: string }>()

/** Schemas that clients which were generated from the published API expect in another form. */
export const publishedForms = new WeakMap<object, z.ZodType>()

/** A field of this form, and of another one where `--published-types` is set. */
export function publishedAs<S extends z.ZodType>(own: S, published: z.ZodType): S {
  publishedForms.set(own, published)
  return own
}

/** Gives a schema its name in the document. */
export function named<S extends z.ZodType>(id: string, shape: S): S {
  shapes.add(shape, { id })
  return shape
}
