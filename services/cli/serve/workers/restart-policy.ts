export interface RestartLimits {
  /** Ends of workers count for this time. */
  readonly windowMs: number
  /** Ends within the window, per worker, that are answered by a restart. */
  readonly restartsMaxPerWorker: number
  /** Before the first restart of a worker; doubled with each further end in the window. */
  readonly pauseMinMs: number
  readonly pauseMaxMs: number
}

export const restartLimits: RestartLimits = {
  windowMs: 300_000,
  restartsMaxPerWorker: 3,
  pauseMinMs: 500,
  pauseMaxMs: 30_000,
}

/**
 * Whether an ended worker is started again, and when. The bound counts the workers together: what
 * ends one of them (a request, a full machine) usually ends the others, too.
 */
export class RestartPolicy {
  private readonly limits: RestartLimits
  private readonly restartsMax: number
  /** At most one more than `restartsMax`: after that nothing is restarted. */
  private ends: { readonly worker: number; readonly atMs: number }[] = []

  constructor(workers: number, limits: RestartLimits = restartLimits) {
    this.limits = limits
    this.restartsMax = workers * limits.restartsMaxPerWorker
  }

  /** @returns the pause before the restart in milliseconds; null if there should be none */
  ended(worker: number, atMs: number): number | null {
    const { windowMs, pauseMinMs, pauseMaxMs } = this.limits
    this.ends = this.ends.filter((end) => atMs - end.atMs < windowMs)
    this.ends.push({ worker, atMs })
    if (this.ends.length > this.restartsMax) return null
    const ofWorker = this.ends.filter((end) => end.worker === worker).length
    return Math.min(pauseMaxMs, pauseMinMs * 2 ** (ofWorker - 1))
  }
}
