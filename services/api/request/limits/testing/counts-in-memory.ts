import type { Added, SharedCounts } from '../../../../../libs/ports/shared-counts.ts'

/** What a Redis does with rate-limiter-flexible, for processes of one test; its clock is set. */
export class CountsInMemory implements SharedCounts {
  nowMs = 1_000_000
  isAway = false
  /** It counts, and its answers come too late. */
  isLate = false
  roundTrips = 0
  /** Most requests of one call that was counted. */
  largest = 0
  private readonly windowMs: number
  private readonly windows = new Map<string, { requests: number; endsAt: number }>()

  constructor(windowMs: number) {
    this.windowMs = windowMs
  }

  async add(client: string, requests: number): Promise<Added> {
    await Promise.resolve()
    this.roundTrips++
    if (this.isAway) return 'unsent'
    this.largest = Math.max(this.largest, requests)
    const known = this.windows.get(client)
    const isOver = known === undefined || known.endsAt <= this.nowMs
    const window = isOver ? { requests: 0, endsAt: this.nowMs + this.windowMs } : known
    this.windows.set(client, window)
    window.requests += requests
    const found = { requests: window.requests, leftMs: window.endsAt - this.nowMs }
    await Promise.resolve()
    return this.isLate ? 'unknown' : found
  }

  loseAll(): void {
    this.windows.clear()
  }

  async close(): Promise<void> {}
}
