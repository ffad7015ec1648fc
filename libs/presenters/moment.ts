/** ISO 8601 in UTC with six fraction digits. @param seconds since 1970, as blocks count. */
export const moment = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, -1)}000Z`

/** The day of a moment, YYYY-MM-DD. */
export const dayOf = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(0, 10)
