/** Whether a request is within its client's limit, and what its response reports of it. */
export interface LimitVerdict {
  readonly isAllowed: boolean
  /** Requests per window. */
  readonly limit: number
  /** Requests left in this window, as far as this process knows. */
  readonly remaining: number
  /** Time until the window ends. */
  readonly resetMs: number
  /** Number of the window since 1970. */
  readonly window: number
}
