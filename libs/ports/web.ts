/** Fetches documents from URLs that strangers wrote, such as the token URIs of contracts. */
export interface Web {
  /**
   * The document behind a URL, redirects followed. Whatever the URL, its hosts and their servers do
   * is a result. Rejects only if `signal` aborts, with its reason, or if this is closed.
   */
  fetch(url: string, signal: AbortSignal): Promise<WebResult>
  /** Ends all fetches, which reject, and waits until their connections are closed. */
  close(): Promise<void>
}

export type WebResult =
  | WebDocument
  | WebFailed
  /** As many requests run as may, in all or to this host: to be tried again soon. */
  | { readonly kind: 'busy' }

export interface WebDocument {
  readonly kind: 'fetched'
  /** Decompressed. May be empty. */
  readonly bytes: Uint8Array
  /**
   * Of Content-Type: lower case, without parameters, at most 255 characters; null if that header is
   * absent, repeated, malformed or longer.
   */
  readonly mediaType: string | null
  /** After redirects, without a fragment. */
  readonly url: string
}

export interface WebFailed {
  readonly kind: 'failed'
  readonly reason: WebFailure
  /** HTTP status if the reason is `status`, else null. */
  readonly status: number | null
  /**
   * For operators: what failed, and at which host; at most 1,024 characters, with words of servers.
   * Has no other part of the URL.
   */
  readonly sentence: string
}

/**
 * Stable values of metric labels and log fields. Those up to `private-address` are decided without
 * a connection; `unreachable`, `tls` and `timed-out` may be otherwise at the next attempt.
 */
export const webFailures = [
  /** No absolute URL, or one that is too long. */
  'malformed-url',
  /** Neither http nor https. */
  'scheme',
  /** The URL has a user or a password. */
  'credentials',
  /** The port is reserved for another protocol. */
  'port',
  /** The host has no address, or no answer came. */
  'unresolved',
  /** The host has an address that is not a public one. */
  'private-address',
  /** No connection to any address. */
  'unreachable',
  /** No TLS, or a certificate that does not prove the host. */
  'tls',
  /** No connection, or no whole document, within the bounds of time. */
  'timed-out',
  /** Neither a document nor a redirect; see `status`. */
  'status',
  /** More redirects than are followed. */
  'redirects',
  /** Head or body, compressed or not, above the bounds. */
  'too-large',
  /** Content-Encoding is unknown, repeated, or not what the body is in. */
  'encoding',
  /** Not HTTP, or ended early. */
  'broken-response',
] as const
export type WebFailure = (typeof webFailures)[number]
