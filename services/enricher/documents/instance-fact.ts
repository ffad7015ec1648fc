import type { Address } from '../../../libs/chain/hex.ts'
import {
  failureReasonCharactersMax,
  type InstanceFact,
  mediaTypeCharactersMax,
  mediaUrl,
} from '../../../libs/topics/facts/instance-facts.ts'
import type { Metadata } from './read-document.ts'
import { sentenceOf } from './text-of-strangers.ts'

/** What became of the document of a token. */
export type InstanceResult =
  | { readonly kind: 'metadata'; readonly metadata: Metadata }
  /** `url` is where it came from; a `data:` URI if the contract returned the media itself. */
  | { readonly kind: 'media'; readonly mediaType: string; readonly url: string }
  /** `nextAttempt` is in seconds since 1970. */
  | { readonly kind: 'failure'; readonly reason: string; readonly nextAttempt: number }

interface FetchedInstance {
  readonly token: Address
  /** 0 .. 2^256-1 */
  readonly tokenId: bigint
  /** Seconds since 1970. */
  readonly time: number
  readonly result: InstanceResult
}

/** A fact of topic `instance-facts`, which its schema accepts whatever strangers sent. */
export function instanceFactOf({ token, tokenId, time, result }: FetchedInstance): InstanceFact {
  const { metadata = null, media = null, failure = null } = partsOf(result)
  return { token, tokenId, time: secondOf(time), metadata, media, failure }
}

function partsOf(result: InstanceResult): Partial<InstanceFact> {
  switch (result.kind) {
    case 'metadata':
      return { metadata: result.metadata }
    case 'media':
      return { media: mediaOf(result) }
    case 'failure': {
      const reason = sentenceOf(result.reason, failureReasonCharactersMax)
      return { failure: { reason, nextAttempt: secondOf(result.nextAttempt) } }
    }
  }
}

/** The url is null if it is longer than a fact may have: art in a `data:` URI. */
function mediaOf({ url, mediaType }: Extract<InstanceResult, { kind: 'media' }>) {
  const shown = mediaUrl.safeParse(url).data ?? null
  const isVideo = mediaType.startsWith('video/')
  return {
    imageUrl: isVideo ? null : shown,
    animationUrl: isVideo ? shown : null,
    externalUrl: null,
    mediaType: sentenceOf(mediaType, mediaTypeCharactersMax),
  }
}

/** Of a back-off with a fraction, the second that it is in. */
const secondOf = (time: number): number =>
  Number.isFinite(time) ? Math.min(Math.max(0, Math.trunc(time)), Number.MAX_SAFE_INTEGER) : 0
