/** URLs of a service of the operator; strangers may choose which of them is requested. */
export interface TrustedUrls {
  /** `http(s)://`, a host, and perhaps a path; it ends with a slash. */
  readonly beginning: string
  /** The first segment of the path after it, without the slash: the name of a content. */
  readonly segment: RegExp
}

/** With its beginning as a URL that was parsed has it. @throws if no URL can begin so */
export function checkedTrust({ beginning, segment }: TrustedUrls): TrustedUrls {
  const { protocol, username, password, search, hash, href } = new URL(beginning)
  const more = username + password + search + hash
  if (/^https?:$/.test(protocol) && href.endsWith('/') && more === '') {
    return { beginning: href, segment }
  }
  throw new Error('what is trusted is http(s)://, a host and perhaps a path that ends with /')
}

export function isAmong({ beginning, segment }: TrustedUrls, { href, pathname }: URL): boolean {
  if (!href.startsWith(beginning) || mayLeave(pathname)) return false
  const [name = ''] = href.slice(beginning.length).split(/[/?]/, 1)
  return segment.test(name)
}

/** Of escapes of escapes; a path with more is not trusted. */
const decodingsMax = 4

/**
 * What a server may take for a step upwards, or for the end of a path, although the parser of URLs
 * leaves it as it is: nginx decodes `%2f`, others read `\` as `/`, and `..;` as `..`.
 */
const leaving = /(?:^|\/)\.\.(?:[/;]|$)|\\|%(?:00|2f|5c)/i

/** Whether a server may find something else than the path names, however often it decodes it. */
function mayLeave(path: string): boolean {
  let text = path
  for (let decodings = 0; decodings <= decodingsMax; decodings++) {
    if (leaving.test(text)) return true
    const decoded = text.replace(/%([0-7][0-9a-f])/gi, (_, byte: string) =>
      String.fromCharCode(Number.parseInt(byte, 16)),
    )
    if (decoded === text) return false
    text = decoded
  }
  return true
}
