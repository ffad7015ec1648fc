export interface Clock {
  /** Never goes backward. */
  readonly monotonicMs: () => number
  /** Since 1970. */
  readonly wallMs: () => number
}

const ownClock: Clock = { monotonicMs: () => performance.now(), wallMs: () => Date.now() }

export interface WindowEnd {
  readonly number: number
  /** Time until it ended, when the answer was given, and when that was asked for. */
  readonly leftMs: number
  readonly askedAt: number
}

/**
 * The current window, which begins at a multiple of its length since 1970. Processes agree on it
 * because the server's clock decides: an answer says how much of the window is left. Here it ends
 * that long after the question was sent, so never later than on the server; a process that asks
 * once more before its end there gets the same window again.
 */
export class CountedWindow {
  readonly lengthMs: number
  number = -1
  private readonly clock: Clock
  private endsAt = Number.NEGATIVE_INFINITY
  private resetsAt = 0
  /** The server's clock, less that of this machine. */
  private aheadMs = 0

  constructor(lengthMs: number, clock: Clock = ownClock) {
    this.lengthMs = lengthMs
    this.clock = clock
  }

  now(): number {
    return this.clock.monotonicMs()
  }

  isCurrent(): boolean {
    return this.clock.monotonicMs() < this.endsAt
  }

  /** Time until clients may go on; rather too long than too short. */
  resetMs(): number {
    return Math.max(1, Math.ceil(this.resetsAt - this.clock.monotonicMs()))
  }

  /** By the clock of this machine, corrected by the last answer of the server. */
  ofOwnClock(): WindowEnd {
    const now = this.clock.wallMs() + this.aheadMs
    const number = Math.floor(now / this.lengthMs)
    return { number, leftMs: (number + 1) * this.lengthMs - now, askedAt: this.now() }
  }

  observed(serverMs: number): void {
    this.aheadMs = serverMs - this.clock.wallMs()
  }

  /** @returns whether it is another window */
  enter({ number, leftMs, askedAt }: WindowEnd): boolean {
    const isOther = number !== this.number
    const resetsAt = this.now() + leftMs
    this.endsAt = isOther ? askedAt + leftMs : Math.max(this.endsAt, askedAt + leftMs)
    this.resetsAt = isOther ? resetsAt : Math.min(this.resetsAt, resetsAt)
    this.number = number
    return isOther
  }
}
