type Metadata = Readonly<Record<string, unknown>> | null

const ipfsGateway = 'https://ipfs.io/ipfs/'
const arweaveGateway = 'https://arweave.net/'

/** Text that is not blank, else null. */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null

/** An address that a browser can open: ipfs and arweave go by a gateway. */
export function webUrlOf(url: string | null): string | null {
  if (url === null) return null
  const [, ipfs] = /^ipfs:\/\/(?:ipfs\/)?(.+)$/.exec(url) ?? []
  if (ipfs !== undefined) return ipfsGateway + ipfs
  const [, arweave] = /^ar:\/\/(.+)$/.exec(url) ?? []
  return arweave === undefined ? url : arweaveGateway + arweave
}

/** The first of image_url, image, properties.image. */
export function imageUrlOf(metadata: Metadata): string | null {
  const properties = metadata?.properties
  const nested =
    typeof properties === 'object' && properties !== null && 'image' in properties
      ? textOf(properties.image)
      : null
  return webUrlOf(textOf(metadata?.image_url) ?? textOf(metadata?.image) ?? nested)
}

export const externalUrlOf = (metadata: Metadata): string | null => textOf(metadata?.external_url)
