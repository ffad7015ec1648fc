import type { UriResult } from '../../libs/ports/token-uris.ts'
import type { Web, WebFailed, WebFailure, WebResult } from '../../libs/ports/web.ts'
import { type LocateOptions, locate } from './documents/locate.ts'
import { type Metadata, readDocument } from './documents/read-document.ts'
import type { NftKey } from './seen-nfts.ts'

/** Where documents of IPFS and Arweave are. */
export type Gateways = Omit<LocateOptions, 'tokenId'>

/** What an attempt found; `result` of a failure is a stable word, a label of the metric. */
export type Fetched =
  | { readonly kind: 'metadata'; readonly metadata: Metadata }
  | { readonly kind: 'media'; readonly url: string; readonly mediaType: string }
  | FailedFetch
  | Busy

/** Nobody had time for it: no failure. */
interface Busy {
  readonly kind: 'busy'
}

/**
 * Who can mend it: the contract's author, by another URL or document; whoever runs the server;
 * nobody, as the server is well, and wants fewer requests.
 */
export type FetchFault = 'content' | 'server' | 'rate'

interface FailedFetch {
  readonly kind: 'failed'
  readonly result: 'no-uri' | 'unanswered' | 'unsupported' | 'not-metadata' | WebFailure
  readonly reason: string
  readonly fault: FetchFault
}

interface FetchOptions {
  readonly web: Web
  readonly gateways: Gateways
  readonly signal: AbortSignal
}

/** Gets the document that a contract named of an NFT. @throws what neither of them can cause */
export async function fetchNft(
  nft: NftKey,
  uri: UriResult,
  options: FetchOptions,
): Promise<Fetched> {
  if (uri.kind === 'cut-off') return { kind: 'busy' }
  if (uri.kind === 'none') return failed('no-uri', 'the contract names no document')
  if (uri.kind === 'unanswered') return failed('unanswered', 'the contract did not answer in time')
  const located = locate(uri.text, { tokenId: nft.tokenId, ...options.gateways })
  if (located.kind === 'refused') return failed('unsupported', located.reason)
  if (located.kind === 'inline') return documentOf({ ...located, url: uri.text })
  return fromWeb(located.urls, options)
}

/** The first URL that has a document; else the first failure, rather one that a server may mend. */
async function fromWeb(urls: readonly string[], options: FetchOptions): Promise<Fetched> {
  const failures: FailedFetch[] = []
  for (const url of urls) {
    if (options.signal.aborted) break
    const got = await fetchInTime(url, options)
    if (got.kind === 'busy') continue
    const found = got.kind === 'failed' ? failedOnWeb(got) : documentOf({ ...got, url })
    // A gateway that answers with a page of its own: another may have the document.
    if (found.kind !== 'failed') return found
    failures.push(found)
  }
  return failures.find(({ fault }) => fault !== 'content') ?? failures[0] ?? { kind: 'busy' }
}

/** What the author of the contract can mend alone, by another URL. */
const ofTheUrl: readonly WebFailure[] = [
  ...(['malformed-url', 'scheme', 'credentials', 'port', 'private-address'] as const),
  ...(['redirects', 'too-large', 'encoding'] as const),
]

const tooManyRequests = 429

function failedOnWeb({ reason, status, sentence }: WebFailed): FailedFetch {
  const ofServer = status === tooManyRequests ? 'rate' : 'server'
  return failed(reason, sentence, ofTheUrl.includes(reason) ? 'content' : ofServer)
}

/** The signal is aborted when the time for all URLs is over. */
async function fetchInTime(url: string, { web, signal }: FetchOptions): Promise<WebResult> {
  try {
    return await web.fetch(url, signal)
  } catch (error) {
    if (!signal.aborted) throw error
    const sentence = 'no document within the time for all its URLs'
    return { kind: 'failed', reason: 'timed-out', status: null, sentence }
  }
}

interface GotDocument {
  readonly bytes: Uint8Array
  readonly mediaType: string | null
  /** Of one that lay in the URI itself, that. */
  readonly url: string
}

function documentOf({ bytes, mediaType, url }: GotDocument): Exclude<Fetched, Busy> {
  const read = readDocument(bytes, mediaType)
  switch (read.kind) {
    case 'metadata':
      return { kind: 'metadata', metadata: read.metadata }
    case 'media':
      return { kind: 'media', mediaType: read.mediaType, url }
    case 'refused':
      return failed('not-metadata', read.reason)
  }
}

const failed = (
  result: FailedFetch['result'],
  reason: string,
  fault: FetchFault = 'content',
): FailedFetch => ({ kind: 'failed', result, reason, fault })
