export interface BreakerLimits {
  /** So many within the window say that the other side is ill. */
  readonly failuresMax: number
  readonly failureWindowMs: number
  /** Pauses between attempts: doubled each time up to the longest. */
  readonly pauseMsMin: number
  readonly pauseMsMax: number
}

/**
 * Decides when to leave a neighbour alone, and for how long. Pure: it is told the time.
 * What was well for as long as the longest pause begins anew with the shortest.
 */
export class Breaker {
  private readonly limits: BreakerLimits
  private failures: number[] = []
  private pauses = 0
  private closedAt: number | null = null

  constructor(limits: BreakerLimits) {
    this.limits = limits
  }

  /** @returns true if it is time to leave the neighbour alone. */
  failed(now: number): boolean {
    const since = now - this.limits.failureWindowMs
    this.failures = [...this.failures.filter((at) => at > since), now]
    return this.failures.length >= this.limits.failuresMax
  }

  /** Only failures in a row count. */
  answered(): void {
    this.failures = []
  }

  /** The neighbour answered to an attempt. */
  closed(now: number): void {
    this.failures = []
    this.closedAt = now
  }

  /** It is left alone: milliseconds until the next attempt. */
  opened(now: number): number {
    const { pauseMsMin, pauseMsMax } = this.limits
    if (this.closedAt !== null && now - this.closedAt >= pauseMsMax) this.pauses = 0
    this.closedAt = null
    // Beyond this many doublings the longest is reached by any two limits that make sense.
    const doublings = Math.min(this.pauses++, 20)
    return Math.min(pauseMsMax, pauseMsMin * 2 ** doublings)
  }
}
