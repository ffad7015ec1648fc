/**
 * Counts the requests of clients in fixed windows, for all processes together. A process leases
 * several requests at a time, and counts them on its own: the sum of all leases never exceeds the
 * limit. The clock of the server decides which window it is.
 */
export interface SharedCounts {
  /** One round trip. @returns null if it is unavailable: nothing was leased */
  lease(asks: LeaseAsks): Promise<LeaseAnswer | null>
  /** The listener gets what other processes announce. */
  listen(listener: LeaseListener): void
  close(): Promise<void>
}

export interface LeaseAsks {
  /** The window in which `used` was counted. */
  readonly window: number
  readonly windowMs: number
  readonly asks: readonly LeaseAsk[]
}

export interface LeaseAsk {
  /** Short, and no secret. */
  readonly client: string
  /** Requests per window. */
  readonly limit: number
  /** Requests that this process has admitted: what it leased beyond them it gives back. */
  readonly used: number
  /** Requests that wait for an answer. */
  readonly wanted: number
  /** Whether another process has recalled what is unused. */
  readonly isReturn: boolean
}

export interface LeaseAnswer {
  /** Number of the current window since 1970. */
  readonly window: number
  /** Time until it ends, and since 1970, when the server answered. */
  readonly leftMs: number
  readonly nowMs: number
  /** In the order of the asks. */
  readonly leases: readonly Lease[]
}

export interface Lease {
  /** At least `wanted`, if as many are left. */
  readonly granted: number
  /** Requests that no process has leased, after this lease. */
  readonly left: number
  /** Other processes that may hold unused ones. */
  readonly holders: number
}

export interface LeaseListener {
  /** Another process needs the unused requests of a client: return them. */
  recalled(client: string, window: number): void
  /** Another process has returned some. */
  returned(client: string, window: number): void
}
