import type { Head } from '../../libs/presenters/lookups.ts'

/** The current window of chain time; null while that time is unknown, or for a length of 0 s. */
export const throttleWindow =
  (head: () => Head | null, windowSeconds: number): (() => number | null) =>
  () => {
    const time = head()?.time ?? null
    return time === null || windowSeconds === 0 ? null : Math.floor(time / windowSeconds)
  }
