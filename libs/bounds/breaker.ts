export interface BreakerLimits {
  /** Failures within the window that open the breaker. */
  readonly failuresMax: number
  readonly failureWindowMs: number
  /** Pauses between attempts: doubled each time up to the longest. */
  readonly pauseMsMin: number
  readonly pauseMsMax: number
}

/**
 * A circuit breaker: decides when to open, and for how long. Pure: the caller passes the time.
 * Closed for at least the longest pause, it starts again with the shortest one.
 */
export class Breaker {
  private readonly limits: BreakerLimits
  private failures: number[] = []
  private pauses = 0
  private closedAt: number | null = null

  constructor(limits: BreakerLimits) {
    this.limits = limits
  }

  /** @returns true if the breaker must open. */
  failed(now: number): boolean {
    const since = now - this.limits.failureWindowMs
    this.failures = [...this.failures.filter((at) => at > since), now]
    return this.failures.length >= this.limits.failuresMax
  }

  /** Only consecutive failures count. */
  answered(): void {
    this.failures = []
  }

  /** An attempt succeeded. */
  closed(now: number): void {
    this.failures = []
    this.closedAt = now
  }

  /** The breaker is open: @returns milliseconds until the next attempt. */
  opened(now: number): number {
    const { pauseMsMin, pauseMsMax } = this.limits
    if (this.closedAt !== null && now - this.closedAt >= pauseMsMax) this.pauses = 0
    this.closedAt = null
    // Any reasonable limits reach the longest pause within this many doublings.
    const doublings = Math.min(this.pauses++, 20)
    return Math.min(pauseMsMax, pauseMsMin * 2 ** doublings)
  }
}
