import { type DocumentCase, jsonAnswer, type Shown } from './document-case.ts'

type Document = Readonly<Record<string, unknown>>
type Case = readonly [name: string, metadata: Document, shown: Shown]

const cid = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG'
const arweaveId = 'bNbA3TEQVL60xlgCcqdz4ZPHFZ711cZ3hmkpGttDt_U'
const svg = 'data:image/svg+xml;base64,PHN2Zy8+'
const https = 'https://cats.example/1.png'
const members = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, at]))

const images: readonly Case[] = [
  ['image on the web', { image: https }, { image_url: https }],
  [
    'image on IPFS',
    { image: `ipfs://${cid}/1.png` },
    { image_url: `https://ipfs.io/ipfs/${cid}/1.png` },
  ],
  [
    'image on IPFS, network twice',
    { image: `ipfs://ipfs/${cid}` },
    { image_url: `https://ipfs.io/ipfs/${cid}` },
  ],
  [
    'image on Arweave',
    { image: `ar://${arweaveId}` },
    { image_url: `https://arweave.net/${arweaveId}` },
  ],
  ['image in a URI', { image: svg }, { image_url: svg }],
  [
    'image_url before image',
    { image: 'https://b.example/', image_url: https },
    { image_url: https },
  ],
  ['blank image_url', { image: https, image_url: ' ' }, { image_url: https }],
  ['image of properties', { properties: { image: https } }, { image_url: https }],
  ['image with blanks', { image: ` ${https}\n` }, { image_url: https }],
  [
    'script as image',
    { image: 'javascript:alert(1)' },
    { image_url: null, metadata: { image: null } },
  ],
  [
    'page as image',
    { image: 'data:text/html,<p>' },
    { image_url: null, metadata: { image: null } },
  ],
  ['bare CID as image', { image: cid }, { image_url: null }],
  ['number as image', { image: 7 }, { image_url: null }],
  ['object as image', { image: { url: https } }, { image_url: null }],
  ['list as image', { image: [https] }, { image_url: null }],
  ['no image', { name: 'Cat' }, { image_url: null, animation_url: null, external_app_url: null }],
  ['source of an image', { image_data: '<svg/>' }, { image_url: null }],
]

const others: readonly Case[] = [
  [
    'animation',
    { animation_url: `ipfs://${cid}/1.mp4` },
    { animation_url: `https://ipfs.io/ipfs/${cid}/1.mp4` },
  ],
  ['blank animation', { animation_url: '' }, { animation_url: null }],
  [
    'script as animation',
    { animation_url: 'vbscript:a' },
    { animation_url: null, metadata: { animation_url: null } },
  ],
  [
    'external page',
    { external_url: 'https://cats.example/' },
    { external_app_url: 'https://cats.example/' },
  ],
  [
    'external page on IPFS',
    { external_url: `ipfs://${cid}` },
    { external_app_url: `ipfs://${cid}` },
  ],
  ['blank external page', { external_url: '  ' }, { external_app_url: null }],
  ['boolean as external page', { external_url: false }, { external_app_url: null }],
  ['home of a cat', { home_url: 'https://cats.example/', year: 2023, tags: ['a'] }, {}],
  [
    'scripts further down',
    { a: { link: 'file:///a' }, urls: ['javascript:a', https] },
    { metadata: { a: { link: null }, urls: [null, https] } },
  ],
  ['attributes as they are', { attributes: [{ trait_type: 'age', value: 7 }, { value: '7' }] }, {}],
  ['no attributes but an object', { attributes: { fur: 'red' } }, {}],
  ['as many values as are shown', { ...members(251), image: https }, { image_url: https }],
  [
    'more values than are shown',
    { ...members(252), image: https },
    { image_url: null, metadata: null },
  ],
  ['text with markup', { description: '<b onclick=alert(1)>' }, {}],
]

/** Documents by what the API shows of them. */
export const shownCases: readonly DocumentCase[] = [...images, ...others].map(
  ([name, metadata, shown]) => ({
    name: `shown: ${name}`,
    uri: null,
    answer: jsonAnswer(metadata),
    expected: { metadata },
    shown,
  }),
)
