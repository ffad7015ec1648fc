import { z } from 'zod'

/** Shapes that the OpenAPI document prints under names of their own. */
export const shapes = z.registry<{ readonly id: string }>()

/** Gives a shape its name in the document. */
export function named<S extends z.ZodType>(id: string, shape: S): S {
  shapes.add(shape, { id })
  return shape
}
