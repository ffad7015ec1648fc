/** Whether a request is within its client's limit, and what its response reports of it. */
export interface LimitVerdict {
  readonly isAllowed: boolean
  /** Requests per window. */
  readonly limit: number
  /** Requests left in this window, as far as this process knows. */
  readonly remaining: number
  /** Time until the window ends. */
  readonly resetMs: number
}

/** What the limit says of a request. */
export interface CheckedRequest extends LimitVerdict {
  /** It had an API key that is unknown or revoked, and was counted by its address. */
  readonly hasUnknownKey: boolean
}

/** What clients read of their limit; times in ms, `retry-after` in seconds. */
export function limitHeaders(checked: CheckedRequest): Record<string, string> {
  const { isAllowed, limit, remaining, resetMs, hasUnknownKey } = checked
  const headers: Record<string, string> = {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetMs),
  }
  if (hasUnknownKey) headers['x-api-key-status'] = 'unknown'
  if (!isAllowed) headers['retry-after'] = String(Math.ceil(resetMs / 1_000))
  return headers
}
