const inUrl = /\b([a-z][a-z0-9+.-]*:\/\/)([^\s/?#@"']+@)?([^\s/?#"']+)([^\s"']*)/gi

/**
 * Text with the secrets of its URLs cut out: user and password, and everything after the host,
 * as providers put keys into paths and queries. What remains says which host was meant.
 */
export function redacted(text: string): string {
  return text.replace(inUrl, (_, scheme: string, _user, host: string, rest: string) =>
    isLocal(host) ? `${scheme}${host}${rest}` : `${scheme}${host}${rest.length > 1 ? '/…' : ''}`,
  )
}

/** Addresses of our own machine carry no provider's key, and must stay clickable. */
const isLocal = (host: string) => /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/.test(host)
