/** Punctuation at the end is the sentence's: `cannot reach wss://node.example/key: refused`. */
const urlForm = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]*[^\s"'<>.,:;!?)]/gi
const parts = /^([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#]*@)?([^/?#]*)(.*)$/i
const ownMachine = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/

/**
 * Text with the secrets of its URLs cut out: user and password, and everything after the host,
 * as providers put keys into paths and queries. What remains says which host was meant.
 * Addresses of our own machine keep their path: it is no provider's key, and people click it.
 */
export const redacted = (text: string): string => text.replace(urlForm, withoutSecrets)

function withoutSecrets(url: string): string {
  const [, scheme = '', host = '', rest = ''] = parts.exec(url) ?? []
  if (ownMachine.test(host) || rest.length < 2) return scheme + host + rest
  return `${scheme}${host}/…`
}
