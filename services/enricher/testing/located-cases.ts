import { arweaveGateway, type DocumentCase, ipfsGateways, jsonAnswer } from './document-case.ts'

const metadata = { name: 'Cat #1', description: 'A cat.' }

const v0 = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG'
const v1 = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'
const leaf = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
const key = 'k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8'
const arweaveId = 'bNbA3TEQVL60xlgCcqdz4ZPHFZ711cZ3hmkpGttDt_U'

const ofIpfs = (rest: string) => ipfsGateways.map((root) => root + rest)
const ofIpns = (rest: string) =>
  ipfsGateways.map((root) => root.replace(/ipfs\/$/, 'ipns/').concat(rest))
const ofArweave = (rest: string) => [arweaveGateway + rest]

type Located = readonly [name: string, uri: string, urls: readonly string[], tokenId?: bigint]

const spellings: readonly Located[] = [
  ['CID of version 0', `ipfs://${v0}`, ofIpfs(v0)],
  ['CID of version 0 with a path', `ipfs://${v0}/1`, ofIpfs(`${v0}/1`)],
  ['CID of version 1 with a path', `ipfs://${v1}/1.json`, ofIpfs(`${v1}/1.json`)],
  ['CID of a leaf', `ipfs://${leaf}`, ofIpfs(leaf)],
  ['CID in base 36', `ipfs://${key}/1`, ofIpfs(`${key}/1`)],
  ['scheme in capitals', `IPFS://${v0}/1`, ofIpfs(`${v0}/1`)],
  ['network after the scheme', `ipfs://ipfs/${v0}/1`, ofIpfs(`${v0}/1`)],
  ['network after the scheme twice', `ipfs://ipfs/ipfs/${v0}/1`, ofIpfs(`${v0}/1`)],
  ['one slash after the scheme', `ipfs:/ipfs/${v0}/1`, ofIpfs(`${v0}/1`)],
  ['three slashes after the scheme', `ipfs:///ipfs/${v0}/1`, ofIpfs(`${v0}/1`)],
  ['no slash after the scheme', `ipfs:${v0}/1`, ofIpfs(`${v0}/1`)],
  ['path of a gateway', `/ipfs/${v0}/1`, ofIpfs(`${v0}/1`)],
  ['path of a gateway without its slash', `ipfs/${v1}/1`, ofIpfs(`${v1}/1`)],
  ['bare CID of version 0', v0, ofIpfs(v0)],
  ['bare CID of version 0 with a path', `${v0}/1.json`, ofIpfs(`${v0}/1.json`)],
  ['bare CID of version 1 with a path', `${v1}/a/1.json`, ofIpfs(`${v1}/a/1.json`)],
  ['bare CID of a leaf', leaf, ofIpfs(leaf)],
  ['bare CID and a query', `${v0}?filename=1.json`, ofIpfs(v0)],
  ['NULs at the end', `ipfs://${v0}/1\0\0\0`, ofIpfs(`${v0}/1`)],
  ['blanks and lines at both ends', ` \t\n ipfs://${v0}/1 \r\n`, ofIpfs(`${v0}/1`)],
  ['mark of the byte order', `\ufeffhttps://cats.example/1`, ['https://cats.example/1']],
]

const paths: readonly Located[] = [
  ['blank in a path', `ipfs://${v0}/My Cat.json`, ofIpfs(`${v0}/My%20Cat.json`)],
  ['number sign in a path', `ipfs://${v0}/My Cat #1.json`, ofIpfs(`${v0}/My%20Cat%20%231.json`)],
  ['question mark in a path', `ipfs://${v0}/Why?.json`, ofIpfs(`${v0}/Why%3F.json`)],
  ['single percent in a path', `ipfs://${v0}/100%.json`, ofIpfs(`${v0}/100%25.json`)],
  ['percent and no digits in a path', `ipfs://${v0}/%zz.json`, ofIpfs(`${v0}/%25zz.json`)],
  ['escaped blank in a path', `ipfs://${v0}/My%20Cat.json`, ofIpfs(`${v0}/My%20Cat.json`)],
  ['escaped and raw in one path', `ipfs://${v0}/a%20b c%.json`, ofIpfs(`${v0}/a%20b%20c%25.json`)],
  ['escaped slash in a path', `ipfs://${v0}/a%2Fb`, ofIpfs(`${v0}/a%2Fb`)],
  ['letters with accents in a path', `ipfs://${v0}/Chaté.json`, ofIpfs(`${v0}/Chat%C3%A9.json`)],
  ['escaped accents in a path', `ipfs://${v0}/Chat%c3%a9`, ofIpfs(`${v0}/Chat%c3%a9`)],
  ['emoji in a path', `ipfs://${v0}/😺.json`, ofIpfs(`${v0}/%F0%9F%98%BA.json`)],
  ['half of a pair in a path', `ipfs://${v0}/\ud83d.json`, ofIpfs(`${v0}/%EF%BF%BD.json`)],
  ['quotes and brackets in a path', `ipfs://${v0}/"<a>"`, ofIpfs(`${v0}/%22%3Ca%3E%22`)],
  ['backslash in a path', `ipfs://${v0}/a\\b`, ofIpfs(`${v0}/a%5Cb`)],
  ['line break in a path', `ipfs://${v0}/a\nb`, ofIpfs(`${v0}/a%0Ab`)],
  ['slash at the end', `ipfs://${v0}/`, ofIpfs(`${v0}/`)],
  ['two slashes in a path', `ipfs://${v0}//1.json`, ofIpfs(`${v0}/1.json`)],
  ['single dots in a path', `ipfs://${v0}/./a/%2E/1`, ofIpfs(`${v0}/a/1`)],
  ['dots that are no segment', `ipfs://${v0}/..a/1..json`, ofIpfs(`${v0}/..a/1..json`)],
  ['query after a CID', `ipfs://${v0}?filename=1.json`, ofIpfs(v0)],
  ['fragment after a CID', `ipfs://${v1}#1`, ofIpfs(v1)],
]

const names: readonly Located[] = [
  ['name of DNS', 'ipns://cats.example/1.json', ofIpns('cats.example/1.json')],
  ['key of IPNS', `ipns://${key}/1`, ofIpns(`${key}/1`)],
  ['IPNS in the path of a gateway', `/ipns/${key}/1`, ofIpns(`${key}/1`)],
  ['IPNS twice', 'ipns:/ipns/cats.example', ofIpns('cats.example')],
  ['IPNS after the scheme of IPFS', `ipfs://ipns/${key}/1`, ofIpns(`${key}/1`)],
  ['Arweave', `ar://${arweaveId}`, ofArweave(arweaveId)],
  ['Arweave with a path', `ar://${arweaveId}/1.json`, ofArweave(`${arweaveId}/1.json`)],
  ['Arweave in capitals', `AR://${arweaveId}/1`, ofArweave(`${arweaveId}/1`)],
  ['Arweave without slashes', `ar:${arweaveId}`, ofArweave(arweaveId)],
  ['Arweave, path with a blank', `ar://${arweaveId}/a b#1`, ofArweave(`${arweaveId}/a%20b%231`)],
]

const publicPath = `https://ipfs.io/ipfs/${v0}/1.json`

const web: readonly Located[] = [
  ['web', 'https://cats.example/1.json', ['https://cats.example/1.json']],
  ['web without encryption', 'http://cats.example/1', ['http://cats.example/1']],
  ['web in capitals', 'HTTPS://Cats.Example/A', ['https://cats.example/A']],
  ['web without scheme', '//cats.example/1', ['https://cats.example/1']],
  ['port and query', 'https://cats.example:8443/?id=1', ['https://cats.example:8443/?id=1']],
  ['blank in a web path', 'https://cats.example/a b', ['https://cats.example/a%20b']],
  ['percent in a web path', 'https://cats.example/100%', ['https://cats.example/100%']],
  ['accents in a host', 'https://chaté.example/1', ['https://xn--chat-epa.example/1']],
  ['gateway of others', publicPath, [publicPath, ...ofIpfs(`${v0}/1.json`)]],
  [
    'gateway of others with a query',
    `https://cats.example/ipfs/${v1}/1?token=a#b`,
    [`https://cats.example/ipfs/${v1}/1?token=a#b`, ...ofIpfs(`${v1}/1`)],
  ],
  [
    'gateway of others, path with escapes',
    `https://ipfs.io/ipfs/${v0}/My%20Cat%20%231.json`,
    [`https://ipfs.io/ipfs/${v0}/My%20Cat%20%231.json`, ...ofIpfs(`${v0}/My%20Cat%20%231.json`)],
  ],
  [
    'gateway by its host',
    `https://${v1}.ipfs.dweb.link/1.json`,
    [`https://${v1}.ipfs.dweb.link/1.json`, ...ofIpfs(`${v1}/1.json`)],
  ],
  [
    'gateway of others for IPNS',
    `https://ipfs.io/ipns/${key}/1`,
    [`https://ipfs.io/ipns/${key}/1`, ...ofIpns(`${key}/1`)],
  ],
  ['own gateway', `${ipfsGateways[1]}${v0}/1`, ofIpfs(`${v0}/1`).toReversed()],
  ['no CID on a gateway', 'https://ipfs.io/ipfs/cats/1', ['https://ipfs.io/ipfs/cats/1']],
  ['host like a gateway', 'https://cats.ipfs.example/', ['https://cats.ipfs.example/']],
]

const one = '1'.padStart(64, '0')
const last = (1n << 256n) - 1n

const ids: readonly Located[] = [
  ['id', 'https://cats.example/{id}.json', [`https://cats.example/${one}.json`]],
  ['escaped id', 'https://cats.example/%7Bid%7D', [`https://cats.example/${one}`]],
  ['escaped id, lower case', 'https://cats.example/%7bid%7d', [`https://cats.example/${one}`]],
  ['id twice', 'https://cats.example/{id}/?a={id}', [`https://cats.example/${one}/?a=${one}`]],
  ['great id', 'https://cats.example/{id}', [`https://cats.example/${'f'.repeat(64)}`], last],
  ['id zero', `ipfs://${v0}/{id}`, ofIpfs(`${v0}/${'0'.repeat(64)}`), 0n],
  [
    'id with letters',
    `ar://${arweaveId}/{id}`,
    ofArweave(`${arweaveId}/${'ab'.padStart(64, '0')}`),
    171n,
  ],
  ['id of another name', 'https://cats.example/{ID}', ['https://cats.example/%7BID%7D']],
]

/** URIs of one good document at all kinds of places. */
export const locatedCases: readonly DocumentCase[] = [
  ...spellings,
  ...paths,
  ...names,
  ...web,
  ...ids,
].map(([name, uri, urls, tokenId]) => ({
  name: `located: ${name}`,
  uri,
  urls,
  ...(tokenId === undefined ? {} : { tokenId }),
  answer: jsonAnswer(metadata),
  expected: { metadata },
}))

/** URIs that are nowhere, and why. */
export const unlocatedCases: readonly DocumentCase[] = (
  [
    ['nothing', '', 'empty'],
    ['blanks', ' \n ', 'empty'],
    ['NULs', '\0\0', 'empty'],
    ['script', 'javascript:alert(1)', 'scheme javascript is not supported'],
    ['script in capitals', 'JaVaScRiPt:alert(1)', 'scheme javascript is not supported'],
    ['script with a line break', 'java\nscript:alert(1)', 'not a URL'],
    ['file', 'file:///etc/passwd', 'scheme file is not supported'],
    ['FTP', 'ftp://cats.example/1', 'scheme ftp is not supported'],
    ['blob', 'blob:https://cats.example/1', 'scheme blob is not supported'],
    ['socket', 'ws://cats.example/', 'scheme ws is not supported'],
    ['no scheme but a port', 'localhost:8080/1', 'scheme localhost is not supported'],
    ['long scheme', `${'a'.repeat(300)}:1`, `scheme ${'a'.repeat(32)} is not supported`],
    ['relative path', 'metadata/1.json', 'not a URL'],
    ['absolute path', '/1.json', 'not a URL'],
    ['number', '1', 'not a URL'],
    ['id alone', '{id}', 'not a URL'],
    ['words', 'This token has no metadata.', 'not a URL'],
    ['bare id of Arweave', arweaveId, 'not a URL'],
    ['bare CID that is short', v0.slice(0, -1), 'not a URL'],
    ['bare CID with a letter of no base', v0.replace('Y', '0'), 'not a URL'],
    ['no CID', 'ipfs://', 'names no content of IPFS or Arweave'],
    ['network and no CID', 'ipfs://ipfs/', 'names no content of IPFS or Arweave'],
    ['word in place of a CID', 'ipfs://cats/1', 'names no content of IPFS or Arweave'],
    ['lower-case CID', `ipfs://${v0.toLowerCase()}`, 'names no content of IPFS or Arweave'],
    ['path that climbs out', `ipfs://${v0}/../../api/v0`, 'names no content of IPFS or Arweave'],
    ['escaped climb', `ipfs://${v0}/a/%2e%2E/b`, 'names no content of IPFS or Arweave'],
    ['short id of Arweave', 'ar://cats/1', 'names no content of IPFS or Arweave'],
    ['IPNS without a name', 'ipns://', 'names no content of IPFS or Arweave'],
    ['no host', 'https://', 'malformed URL'],
    ['blank in a host', 'https://cats example/', 'malformed URL'],
    ['NUL in a host', 'https://cats\0.example/', 'malformed URL'],
    ['no address', 'http://[::1/', 'malformed URL'],
    ['port of no number', 'http://cats.example:99999/', 'malformed URL'],
    ['credentials', 'https://cat:secret@cats.example/', 'URL with credentials'],
    ['user', 'https://cat@cats.example/', 'URL with credentials'],
    ['long URL', `https://cats.example/${'1'.repeat(8192)}`, 'more than 8192 characters'],
    ['URI that ids make long', `https://a/${'{id}'.repeat(130)}`, 'more than 8192 characters'],
    ['great URI', `data:,${'1'.repeat(1 << 20)}`, 'more than 1048576 characters'],
    ['great by its ids', `data:,${'{id}'.repeat(20_000)}`, 'more than 1048576 characters'],
  ] as const
).map(([name, uri, reason]) => ({
  name: `unlocated: ${name}`,
  uri,
  expected: { refused: reason },
}))
