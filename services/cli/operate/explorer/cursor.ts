import { z } from 'zod'

/** A page of a list of the API. */
export const listPage = z.looseObject({
  items: z.array(z.unknown()),
  next_page_params: z.record(z.string(), z.unknown()).nullable(),
})

/** As clients send a cursor back; a missing key means null. */
export const queryOfCursor = (cursor: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(cursor)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  )
