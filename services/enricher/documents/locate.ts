import { toUSVString } from 'node:util'
import { isUrl, parsedUrl } from '../../../libs/chain/parsed-url.ts'
import {
  contentOfGateway,
  gatewayUrls,
  isBareCid,
  type NetworkContent,
  networkContentOf,
} from './gateway-urls.ts'
import { inlineBytesOf } from './inline-bytes.ts'
import { sentenceOf, withoutPadding } from './text-of-strangers.ts'

/** Where the document of a token URI is, or a sentence why it is nowhere. */
export type Located =
  | { readonly kind: 'inline'; readonly bytes: Uint8Array; readonly mediaType: string | null }
  /** Normal URLs of http or https, to be tried in this order; at most {@link urlsMax}. */
  | { readonly kind: 'web'; readonly urls: readonly string[] }
  /** At most 200 characters, no controls. */
  | { readonly kind: 'refused'; readonly reason: string }

export interface LocateOptions {
  readonly tokenId: bigint
  /** Tried in this order: `https://ipfs.io/ipfs/`. */
  readonly ipfsGateways: readonly string[]
  /** `https://arweave.net/` */
  readonly arweaveGateway: string
}

/** Of a URI that is not the document itself. */
export const uriCharactersMax = 8192
/** Of a URI that holds the document: as much as a fact may have, with every byte escaped. */
export const inlineUriCharactersMax = 1024 * 1024
/** Requests for one document. */
const urlsMax = 4
const reasonCharactersMax = 200

/** Where the document of a token URI is, as a contract returned it. Never throws. */
export function locate(uri: string, options: LocateOptions): Located {
  if (uri.length > inlineUriCharactersMax) return tooLong(inlineUriCharactersMax)
  const text = withTokenId(withoutPadding(uri), options.tokenId)
  if (text === null) return tooLong(inlineUriCharactersMax)
  if (/^data:/i.test(text)) {
    const inline = inlineBytesOf(text)
    return 'refused' in inline ? refused(inline.refused) : { kind: 'inline', ...inline }
  }
  if (/^[{[]/.test(text)) return { kind: 'inline', bytes: Buffer.from(text), mediaType: null }
  if (text.length > uriCharactersMax) return tooLong(uriCharactersMax)
  return locateElsewhere(toUSVString(text), options)
}

const idForm = /\{id\}|%7[Bb]id%7[Dd]/g

/**
 * ERC-1155: an `{id}` stands for the id in hex, lower case, of 64 digits. Null if the URI, which
 * grows to sixteen times its length, would be too long.
 */
function withTokenId(uri: string, tokenId: bigint): string | null {
  const id = tokenId.toString(16).padStart(64, '0')
  const places = uri.match(idForm)?.length ?? 0
  if (places === 0) return uri
  const isWithin = uri.length + places * id.length <= inlineUriCharactersMax
  return isWithin ? uri.replace(idForm, id) : null
}

function locateElsewhere(uri: string, options: LocateOptions): Located {
  const [, scheme = ''] = /^([a-z][a-z0-9+.-]*):/i.exec(uri) ?? []
  const rest = uri.slice(scheme.length + 1)
  switch (scheme.toLowerCase()) {
    case 'http':
    case 'https':
      return ofWeb(uri, options)
    case 'ipfs':
      return ofContent(networkContentOf('ipfs', rest), options)
    case 'ipns':
      return ofContent(networkContentOf('ipns', rest), options)
    case 'ar':
      return ofContent(networkContentOf('ar', rest), options)
    case '':
      return withoutScheme(uri, options)
    default:
      return refused(`scheme ${scheme.slice(0, 32).toLowerCase()} is not supported`)
  }
}

function withoutScheme(uri: string, options: LocateOptions): Located {
  if (uri === '') return refused('empty')
  if (uri.startsWith('//')) return ofWeb(`https:${uri}`, options)
  const [, network] = /^\/?(ip[fn]s)\//.exec(uri) ?? []
  if (network !== undefined) return ofContent(networkContentOf('ipfs', uri), options)
  const [name = ''] = uri.split(/[/?#]/, 1)
  return isBareCid(name) ? ofContent(networkContentOf('ipfs', uri), options) : refused('not a URL')
}

/** A gateway that is down is not the end of what it served. */
function ofWeb(uri: string, options: LocateOptions): Located {
  const url = parsedUrl(uri)
  if (url === null) return refused('malformed URL')
  if (url.username !== '' || url.password !== '') return refused('URL with credentials')
  const content = contentOfGateway(url)
  return ofUrls([url.href, ...(content === null ? [] : gatewayUrls(content, options))])
}

const ofContent = (content: NetworkContent | null, options: LocateOptions): Located =>
  content === null
    ? refused('names no content of IPFS or Arweave')
    : ofUrls(gatewayUrls(content, options))

function ofUrls(urls: readonly string[]): Located {
  const distinct = [...new Set(urls)].filter(isUrl).slice(0, urlsMax)
  return distinct.length === 0 ? refused('no gateway for it') : { kind: 'web', urls: distinct }
}

const tooLong = (charactersMax: number) => refused(`more than ${charactersMax} characters`)

const refused = (reason: string): Located => ({
  kind: 'refused',
  reason: sentenceOf(reason, reasonCharactersMax),
})
