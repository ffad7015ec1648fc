import { z } from 'zod'
import { standards } from '../../chain/token.ts'
import { mediaCategories } from '../media.ts'
import { address } from './address.ts'
import { named } from './named.ts'
import { token } from './token.ts'
import { amount, checksummed, url, words } from './words.ts'

const shown = z.object({
  id: amount,
  is_unique: z.boolean(),
  holder_address_hash: checksummed.nullable(),
  owner: address.nullable(),
  token,
  metadata: z.record(z.string(), z.unknown()).nullable(),
  image_url: url,
  animation_url: url,
  external_app_url: url,
  media_type: words,
  media_url: url,
  image_media_type: z.enum(mediaCategories).nullable(),
  animation_media_type: z.null().describe('always null: facts have the type of the image only'),
  thumbnails: z.null().describe('always null: images are not resized'),
})

/** See `../instance.ts`. */
export const instance = named('TokenInstance', shown)

/** See `../nft.ts`. */
export const nft = named('Nft', shown.extend({ token_type: z.enum(standards), value: amount }))
