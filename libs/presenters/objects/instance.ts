import { z } from 'zod'
import type { Address } from '../../chain/hex.ts'
import { type Standard, standards } from '../../chain/token.ts'
import type { Row } from '../../tables/declare/table.ts'
import type { nftsByOwner } from '../../tables/tables/instances.ts'
import { isShown } from '../../tables/tables/tokens.ts'
import { addressOrNull, addressSchema, checksum } from '../address.ts'
import type { InstanceFacts } from '../facts.ts'
import { type Lookups, standardAt } from '../lookups.ts'
import {
  checksummedString,
  decimalString,
  named,
  textOrNull,
  urlOrNull,
  urlText,
} from '../schemas.ts'
import { countValues } from './metadata-values.ts'
import { safeUrl, withSafeUrls } from './safe-url.ts'
import { tokenAt, tokenSchema } from './token.ts'

const mediaCategories = ['image', 'video', 'html'] as const
type MediaCategory = (typeof mediaCategories)[number]

const instanceShape = z.object({
  id: decimalString.describe('Token id.'),
  is_unique: z
    .boolean()
    .describe('True for ERC-721 and ERC-404, for ERC-1155 if one holder has exactly 1.'),
  holder_address_hash: checksummedString.nullable().describe('Address of owner; null if it is.'),
  owner: addressSchema.nullable().describe('The holder; null if unknown or if not is_unique.'),
  token: tokenSchema.describe('Its token contract.'),
  metadata: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe(
      'As it was fetched or imported, URLs with other schemes null; null if unknown or too large.',
    ),
  image_url: urlOrNull.describe(urlText),
  animation_url: urlOrNull.describe(urlText),
  external_app_url: urlOrNull.describe(urlText),
  media_type: textOrNull.describe('MIME type of media_url; null if unknown.'),
  media_url: urlOrNull.describe(`The same as image_url. ${urlText}`),
  image_media_type: z
    .enum(mediaCategories)
    .nullable()
    .describe('Kind of media_type; null if it is another one or unknown.'),
  animation_media_type: z.null().describe('Always null: facts have the type of the image only.'),
  thumbnails: z.null().describe('Always null: images are not resized.'),
})

/** Schema of {@link instanceObject}. */
export const instanceSchema = named(
  'TokenInstance',
  instanceShape.describe('A token id of an NFT contract.'),
)

/** Schema of {@link nftObject}. */
export const nftSchema = named(
  'Nft',
  instanceShape
    .extend({
      token_type: z.enum(standards).describe('Token standard: not ERC-20.'),
      value: decimalString.describe('Pieces that the address holds of it.'),
    })
    .describe('A token id that an address holds.'),
)

interface InstanceKey {
  readonly token: Address
  readonly tokenId: bigint
  /** Used while the token's own is unknown. */
  readonly standard: Standard
}

/** A token instance as every body shows it. */
export function instanceObject({ token, tokenId, standard }: InstanceKey, lookups: Lookups) {
  const { state: stored, facts } = lookups.instance(token, tokenId)
  // The owner of an instance of a token in doubt is known only if it was observed since.
  const isKnown = stored !== null && isShown(stored, lookups.token(token)?.state)
  const state = isKnown ? stored : null
  const shown = tokenAt(token, standard, lookups)
  const isUnique = state?.isUnique ?? (shown.type === 'ERC-721' || shown.type === 'ERC-404')
  const owner = isUnique ? (state?.owner ?? null) : null
  const isWithin =
    facts.metadata !== null && lookups.decodeBudget.useMetadata(countValues(facts.metadata))
  return {
    id: tokenId.toString(),
    is_unique: isUnique,
    holder_address_hash: owner === null ? null : checksum(owner),
    owner: addressOrNull(owner, lookups),
    token: shown,
    metadata: isWithin ? withSafeUrls(facts.metadata) : null,
    ...mediaOf(facts),
    thumbnails: null,
  }
}

/** An NFT of an address. */
export function nftObject(row: Row<typeof nftsByOwner>, lookups: Lookups) {
  const standard = standardAt(row.standard)
  return {
    ...instanceObject({ ...row, standard }, lookups),
    token_type: standard,
    value: row.value.toString(),
  }
}

type Metadata = Readonly<Record<string, unknown>> | null

const ipfsGateway = 'https://ipfs.io/ipfs/'
const arweaveGateway = 'https://arweave.net/'

/** Text that is not blank, else null. */
const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null

/** A url that a browser can open: ipfs and arweave go by a gateway. */
function webUrlOf(published: string | null): string | null {
  const url = safeUrl(published)
  if (url === null) return null
  const [, ipfs] = /^ipfs:\/\/(?:ipfs\/)?(.+)$/i.exec(url) ?? []
  if (ipfs !== undefined) return ipfsGateway + ipfs
  const [, arweave] = /^ar:\/\/(.+)$/i.exec(url) ?? []
  return arweave === undefined ? url : arweaveGateway + arweave
}

/** The first of image_url, image, properties.image. */
function imageUrlOf(metadata: Metadata): string | null {
  const properties = metadata?.properties
  const nested =
    typeof properties === 'object' && properties !== null && 'image' in properties
      ? textOf(properties.image)
      : null
  return textOf(metadata?.image_url) ?? textOf(metadata?.image) ?? nested
}

/** Media of an instance: as found when they were fetched, else from its metadata. */
function mediaOf({ metadata, media }: InstanceFacts) {
  const image = webUrlOf(media?.imageUrl ?? imageUrlOf(metadata))
  return {
    image_url: image,
    animation_url: webUrlOf(media?.animationUrl ?? textOf(metadata?.animation_url)),
    external_app_url: safeUrl(media?.externalUrl ?? textOf(metadata?.external_url)),
    media_type: media?.mediaType ?? null,
    media_url: image,
    image_media_type: image === null ? null : categoryOf(media?.mediaType ?? null),
    animation_media_type: null,
  }
}

/** The category of a MIME type as servers send it; null for any other. */
function categoryOf(mediaType: string | null): MediaCategory | null {
  const [, type, subtype] = /^([a-z]+)\/([a-z+.-]+)/i.exec(mediaType ?? '') ?? []
  if (subtype?.toLowerCase() === 'html') return 'html'
  return mediaCategories.find((category) => category === type?.toLowerCase()) ?? null
}
