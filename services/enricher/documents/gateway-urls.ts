/** Something on IPFS or Arweave by its content or name, and what follows it. */
export interface NetworkContent {
  readonly network: 'ipfs' | 'ipns' | 'ar'
  readonly name: string
  /** Empty, or begins with `/`; escaped for a URL. */
  readonly path: string
}

const base58 = '[1-9A-HJ-NP-Za-km-z]'
/** CIDs of version 0, and of version 1 in the bases that are used: 32, 36, 58, 16. */
const cidForm = new RegExp(
  `^(?:Qm${base58}{44}|b[a-z2-7]{48,120}|k[0-9a-z]{48,120}|z${base58}{48,120}|f[0-9a-f]{64,160})$`,
)
/** A key or a name of DNS. */
const ipnsForm = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/
const arweaveForm = /^[A-Za-z0-9_-]{43}$/

const forms = { ipfs: cidForm, ipns: ipnsForm, ar: arweaveForm } as const

/** A CID that nothing says is one: only forms that no word has. */
export const isBareCid = (name: string): boolean => /^(?:Qm|baf)/.test(name) && cidForm.test(name)

/**
 * What comes after `ipfs:`, `ipns:`, `ar:`, or the host of a gateway: `//CID/1.json`,
 * `//ipfs/CID/1.json`, `CID`. Null if it names nothing, or climbs out by `..`.
 */
export function networkContentOf(
  network: NetworkContent['network'],
  text: string,
): NetworkContent | null {
  const [, prefix] = network === 'ar' ? [] : (/^\/*((?:ip[fn]s\/+)*)/.exec(text) ?? [])
  const inner = text.replace(/^\/+/, '').slice(prefix?.length ?? 0)
  const [, named = ''] = /(ip[fn]s)\/+$/.exec(prefix ?? '') ?? []
  const actual = named === 'ipfs' || named === 'ipns' ? named : network
  const name = /^[^/?#]*/.exec(inner)?.[0] ?? ''
  const after = inner.slice(name.length)
  // Directly after a CID they are of a web URL; in a path they are of a file's name.
  const path = after.startsWith('/') ? escapedPath(after) : ''
  return path === null || !forms[actual].test(name) ? null : { network: actual, name, path }
}

/** The content that a gateway's URL names, by its path or by its host. */
export function contentOfGateway({ hostname, pathname }: URL): NetworkContent | null {
  const [, byPath, rest = ''] = /^\/(ip[fn]s)(\/.+)$/.exec(pathname) ?? []
  if (byPath === 'ipfs' || byPath === 'ipns') return networkContentOf(byPath, rest)
  const [, cid] = /^([a-z0-9]+)\.ipfs\./.exec(hostname) ?? []
  return cid === undefined ? null : networkContentOf('ipfs', cid + pathname)
}

/**
 * Segments as a URL has them: what is escaped already stays, blanks, `#`, `?` and a single `%` are
 * escaped. A gateway takes an empty segment for an error, so that none is kept.
 */
function escapedPath(path: string): string | null {
  const segments = path.split('/').filter((segment) => segment !== '' && !isDots(segment, '.'))
  if (segments.some((segment) => isDots(segment, '..'))) return null
  return (
    segments.map((segment) => `/${escaped(segment)}`).join('') + (path.endsWith('/') ? '/' : '')
  )
}

/** In the spellings that a URL parser takes for the same. */
const isDots = (segment: string, dots: string) => segment.replace(/%2e/gi, '.') === dots

const escaped = (segment: string): string =>
  segment
    .split(/(%[0-9a-f]{2})/i)
    .map((part, at) => (at % 2 === 1 ? part : encodeURIComponent(part)))
    .join('')

interface Gateways {
  readonly ipfsGateways: readonly string[]
  readonly arweaveGateway: string
}

/** Where gateways have it, in their order; of `ipns` those whose path ends in `/ipfs/`. */
export function gatewayUrls({ network, name, path }: NetworkContent, gateways: Gateways): string[] {
  const rest = name + path
  if (network === 'ar') return [withSlash(gateways.arweaveGateway) + rest]
  const roots = gateways.ipfsGateways.map(withSlash)
  if (network === 'ipfs') return roots.map((root) => root + rest)
  return roots.flatMap(nameRoots).map((root) => root + rest)
}

/**
 * Which URLs are those of gateways, and of no other service at the same host: how they begin, and
 * the segment that follows.
 */
export function urlsOfGateways({ ipfsGateways, arweaveGateway }: Gateways) {
  const roots = ipfsGateways.map(withSlash)
  return [
    ...roots.map((beginning) => ({ beginning, segment: forms.ipfs })),
    ...roots.flatMap(nameRoots).map((beginning) => ({ beginning, segment: forms.ipns })),
    { beginning: withSlash(arweaveGateway), segment: forms.ar },
  ]
}

/** Where a gateway has names, beside its contents: none if the path does not say. */
const nameRoots = (root: string): string[] =>
  root.endsWith('/ipfs/') ? [`${root.slice(0, -'ipfs/'.length)}ipns/`] : []

const withSlash = (root: string) => (root.endsWith('/') ? root : `${root}/`)
