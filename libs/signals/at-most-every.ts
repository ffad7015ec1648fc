/** @returns what says, at each call, whether the interval since it last said so is over */
export function atMostEvery(intervalMs: number): () => boolean {
  let last = Number.NEGATIVE_INFINITY
  return () => {
    const isDue = performance.now() - last >= intervalMs
    if (isDue) last = performance.now()
    return isDue
  }
}

/** Interval of warnings about a server that is away: each attempt fails meanwhile. */
export const warnEveryMs = 60_000
