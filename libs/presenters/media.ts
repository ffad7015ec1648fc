import type { InstanceFacts } from './facts.ts'
import { safeUrl } from './safe-url.ts'

type Metadata = Readonly<Record<string, unknown>> | null

export const mediaCategories = ['image', 'video', 'html'] as const
type MediaCategory = (typeof mediaCategories)[number]

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

/** What an instance can be shown by: as it was found out when fetched, else as metadata says. */
export function mediaOf({ metadata, media }: InstanceFacts) {
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
