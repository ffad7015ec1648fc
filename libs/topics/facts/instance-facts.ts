import { z } from 'zod'
import { addressText, amountText, foreignUrl, integerNumber, shallowObject } from '../quantities.ts'

/** As JSON. Art that lies on the chain fits; a page reads the metadata of a hundred instances. */
export const metadataCharactersMax = 256 * 1024

/** A url of media. */
export const mediaUrl = foreignUrl(8192)
const url = mediaUrl.nullable()

export const mediaTypeCharactersMax = 255
export const failureReasonCharactersMax = 1024

/** Of images and animations; null where nothing is known. */
const media = z.object({
  imageUrl: url,
  animationUrl: url,
  externalUrl: url,
  /** MIME type of the image, as its server sent it: `image/png`. */
  mediaType: z.string().max(mediaTypeCharactersMax).nullable(),
})

/**
 * A message of topic `instance-facts`: the metadata of an NFT, as fetched, or why the fetch failed
 * and when to try again. The last message of a key wins.
 */
export const instanceFact = z.object({
  token: addressText,
  tokenId: amountText,
  /** Seconds since 1970: when it was fetched. */
  time: integerNumber,
  /** Its urls are shown by the same rule as those of `media`. */
  metadata: shallowObject(metadataCharactersMax).nullable(),
  media: media.nullable(),
  failure: z
    .object({ reason: z.string().max(failureReasonCharactersMax), nextAttempt: integerNumber })
    .nullable(),
})

export type InstanceFact = z.output<typeof instanceFact>
export const instanceFactKey = (fact: InstanceFact): string => `${fact.token}:${fact.tokenId}`
