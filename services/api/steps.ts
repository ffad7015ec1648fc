import type { Head } from '../../libs/presenters/known.ts'

/** Tells the present step of chain time; null while that time is not known, or steps are 0 s. */
export const stepsOf =
  (head: () => Head | null, stepSeconds: number): (() => number | null) =>
  () => {
    const time = head()?.time ?? null
    return time === null || stepSeconds === 0 ? null : Math.floor(time / stepSeconds)
  }
