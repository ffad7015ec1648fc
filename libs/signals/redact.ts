/** Punctuation at the end is the sentence's: `cannot reach wss://node.example/key: refused`. */
const urlForm = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]*[^\s"'<>.,:;!?)]/gi
const parts = /^([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#]*@)?([^/?#]*)(.*)$/i
const ownMachine = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/

/**
 * Text with the secrets of its URLs removed: user and password, and everything after the host,
 * because providers put keys into paths and queries. The host remains. Loopback addresses keep
 * their path: it contains no provider's key, and the URL stays usable.
 */
export const redacted = (text: string): string => text.replace(urlForm, withoutSecrets)

function withoutSecrets(url: string): string {
  const [, scheme = '', host = '', rest = ''] = parts.exec(url) ?? []
  if (ownMachine.test(host) || rest.length < 2) return scheme + host + rest
  return `${scheme}${host}/…`
}
