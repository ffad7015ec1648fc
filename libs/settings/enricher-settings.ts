import {
  booleanSetting,
  integerSetting,
  listSetting,
  optionalText,
  textSetting,
} from './setting.ts'

const takenBy = ['up', 'enricher'] as const

/** Facts from off the chain. */
export const enricherSettings = {
  metadata: booleanSetting({
    takenBy: ['up'],
    why:
      'fetch the metadata of NFTs from the URLs that their contracts name; without it this process ' +
      'connects to nothing but the node',
  }),
  metadataFetches: integerSetting(
    {
      takenBy,
      unit: 'fetches',
      default: '32',
      why: 'maximum NFTs whose metadata is fetched at a time',
    },
    1,
    256,
  ),
  ipfsGateways: listSetting({
    takenBy,
    unit: 'url',
    default: 'https://ipfs.io/ipfs/,https://dweb.link/ipfs/',
    bounds: 'at most 3 URLs that end with /, http:// or https://, separated by commas',
    why:
      'gateways to fetch metadata on IPFS from, tried in this order; they and the gateway of ' +
      'Arweave are the only hosts that may have private addresses',
  }),
  arweaveGateway: textSetting({
    takenBy,
    unit: 'url',
    default: 'https://arweave.net/',
    bounds: 'a URL that ends with /, http:// or https://',
    why: 'gateway to fetch metadata on Arweave from; like those of IPFS it may have a private address',
  }),
  priceSource: optionalText({
    takenBy,
    unit: 'file',
    bounds: 'a file of JSON (`deploy/README.md`, Prices)',
    why:
      'publish prices of the coin and of tokens: from which URLs, and where in the answers they are; ' +
      'none by default',
  }),
}
