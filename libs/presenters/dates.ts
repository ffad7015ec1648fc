import { timestampMax } from '../chain/block.ts'

/**
 * A time as a date. No block after the year 9999 is ingested; rows from before this rule show its
 * last second, as clients cannot parse a later year, nor send it back in a cursor.
 *
 * @param seconds since 1970, as blocks count
 */
export const dateOf = (seconds: number): Date => new Date(Math.min(seconds, timestampMax) * 1000)

/** ISO 8601 in UTC with six fraction digits. @param seconds since 1970 */
export const isoTime = (seconds: number): string =>
  `${dateOf(seconds).toISOString().slice(0, -1)}000Z`

/** The day of a time, YYYY-MM-DD. @param seconds since 1970 */
export const dayOf = (seconds: number): string => dateOf(seconds).toISOString().slice(0, 10)
