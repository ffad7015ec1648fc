/** Full queries that succeed before one with more keys is tried. */
export const successesMin = 32
/** It has so many times as many. */
const growth = 1.25
/** The same until one of these has too many: requests of strangers may have lowered the limit. */
const recovery = 2

/**
 * How many keys a shared query has, at most `max`: what a key costs is known only from queries that
 * have too many, as it depends on the parts of the table. One in `successesMin` tries more; if
 * these are too many, the number that succeeded before is kept.
 */
export class KeyLimit {
  private readonly max: number
  private limit: number
  /** So many keys succeeded often, before more were tried; 0: none yet. */
  private proven = 0
  private successes = 0
  /** Since the limit was lowered, no query with more keys had too many. */
  private isRecovering = true

  constructor(max: number) {
    this.max = max
    this.limit = max
  }

  /** Of the next query, at least 1. */
  get keys(): number {
    return this.limit
  }

  /** A query of so many keys succeeded. */
  succeeded(keys: number): void {
    if (keys < this.limit || this.limit === this.max) return
    this.successes += 1
    const needed = this.isRecovering ? Math.min(successesMin, 2 * this.limit) : successesMin
    if (this.successes < needed) return
    this.successes = 0
    this.proven = this.limit
    const times = this.isRecovering ? recovery : growth
    this.limit = Math.min(this.max, Math.ceil(this.limit * times))
  }

  /** A query of so many keys has too many, whichever they are. */
  tooMany(keys: number): void {
    this.isRecovering = keys <= this.proven || this.proven === 0
    // Of late: there may be more parts than then.
    if (keys <= this.proven) this.proven = 0
    this.limit = Math.min(this.limit, Math.max(this.proven, Math.ceil(keys / 2)))
    this.successes = 0
  }
}
