import { toUSVString } from 'node:util'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { anAddress } from '../../../libs/presenters/testing/rows.ts'
import { decodeMessage, encodeMessage } from '../../../libs/topics/codec.ts'
import { instanceFact } from '../../../libs/topics/facts/instance-facts.ts'
import { testSeed as seed } from '../../../test/support/seed.ts'
import { arweaveGateway, ipfsGateways } from '../testing/document-case.ts'
import { documentCases } from '../testing/document-cases.ts'
import { type InstanceResult, instanceFactOf } from './instance-fact.ts'
import { inlineUriCharactersMax, type Located, locate, uriCharactersMax } from './locate.ts'
import { type Document, documentBytesMax, readDocument } from './read-document.ts'

const gateways = { ipfsGateways, arweaveGateway }
const locateOne = (uri: string, tokenId = 1n): Located => locate(uri, { tokenId, ...gateways })
const cid = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG'
const token = anAddress(0x71)

const factOf = (result: InstanceResult) =>
  instanceFactOf({ token, tokenId: 1n, time: 1_700_000_000, result })

function expectAccepted(result: InstanceResult) {
  const fact = factOf(result)
  if (fact.failure !== null) expect(fact.failure.reason).toMatch(/^\P{Cc}*$/u)
  expect(decodeMessage(instanceFact, encodeMessage(fact))).toEqual({ message: fact })
}

const isWellFormed = (value: unknown): boolean => {
  if (typeof value === 'string') return toUSVString(value) === value
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every((member) => member.every(isWellFormed))
}

/** Pieces of which URIs and documents are made, and what breaks them. */
const pieces = fc.constantFrom(
  ...['ipfs://', 'ipfs:/', 'ipns://', 'ar://', 'https://', 'http://', '//', '/ipfs/', 'data:'],
  ...['application/json', 'image/svg+xml', ';base64', ';utf8', ',', ';', cid, 'cats.example', '@'],
  ...['{id}', '%7Bid%7D', '%', '%2', '%2e', '%22', '%00', '..', '.', '/', '\\', '#', '?', ':', '*'],
  ...['{', '}', '[', ']', '"', '"a":', '\\ud83d', '\\ude3a', '\\u', '1e999', '-', '9'.repeat(20)],
  ...[
    '__proto__',
    'null',
    'true',
    '<',
    '<svg>',
    '<!--',
    '<!doctype ',
    '<?',
    'eyJ9',
    '=',
    ' ',
    '\n',
  ],
  ...['\0', '\ud83d', '\ufeff', 'é', '[{', '}]', '"{', '}"'],
)
const madeOfPieces = fc.array(pieces, { maxLength: 24 }).map((parts) => parts.join(''))
const uris = documentCases.flatMap(({ uri }) => (uri === null || uri.length > 2000 ? [] : [uri]))
const bodies = documentCases.flatMap(({ answer }) =>
  answer === undefined || answer.body.length > 2000 ? [] : [answer.body],
)
const binary = fc.string({ unit: 'binary', maxLength: 40 })

/** A good one with something in place of a few characters. */
const damagedUri = fc
  .tuple(fc.constantFrom(...uris), fc.nat(), fc.nat(8), fc.oneof(pieces, binary))
  .map(([uri, at, length, piece]) => {
    const from = at % (uri.length + 1)
    return uri.slice(0, from) + piece + uri.slice(from + length)
  })
const damagedBody = fc
  .tuple(fc.constantFrom(...bodies), fc.nat(), fc.nat(8), fc.uint8Array({ maxLength: 12 }))
  .map(([body, at, length, piece]) => {
    const from = at % (body.length + 1)
    return Buffer.concat([body.subarray(0, from), piece, body.subarray(from + length)])
  })
const anyUri = fc.oneof(madeOfPieces, damagedUri, binary)
const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  damagedBody,
  madeOfPieces.map((text) => Buffer.from(text, 'utf8')),
  madeOfPieces.map((text) => Buffer.from(`\ufeff${text}`, 'utf16le')),
  madeOfPieces.map((text) => Buffer.from(`{"a":${text}}`, 'utf8')),
  fc.json({ stringUnit: 'binary' }).map((text) => Buffer.from(text, 'utf8')),
)

function expectSentence(reason: string, charactersMax: number) {
  expect(reason).toMatch(/^\P{Cc}+$/u)
  expect(reason.length).toBeLessThanOrEqual(charactersMax)
  expect(isWellFormed(reason)).toBe(true)
}

function expectLocated(located: Located, own: string) {
  if (located.kind === 'refused') expectSentence(located.reason, 200)
  if (located.kind !== 'web') return
  expect(located.urls.length).toBeGreaterThan(0)
  expect(located.urls.length).toBeLessThanOrEqual(4)
  // Of a gateway that the URI names itself, the query is the server's matter.
  const isUrl = /^[\s\0\ufeff]*(?:https?:|\/\/)/i.test(own)
  for (const [at, url] of located.urls.entries()) {
    // Nothing is left for a client to normalize, so that no path can leave its gateway.
    if (!url.startsWith(arweaveGateway)) expect(new URL(url).protocol).toMatch(/^https?:$/)
    for (const root of ipfsGateways.filter((each) => url.startsWith(each))) {
      expect(new URL(url).href.startsWith(root)).toBe(true)
      if (at > 0 || !isUrl) expect(new URL(url).search + new URL(url).hash).toBe('')
    }
  }
}

function expectDocument(document: Document) {
  if (document.kind === 'refused') expectSentence(document.reason, 200)
  if (document.kind === 'media')
    expect(document.mediaType).toMatch(/^(?:image|video)\/[a-z0-9+-]+$/)
  if (document.kind !== 'metadata') return
  expect(isWellFormed(document.metadata)).toBe(true)
  expectAccepted(document)
}

describe(`whatever strangers send (seed ${seed})`, () => {
  it('is located or refused', () => {
    const property = fc.property(anyUri, fc.bigInt(0n, (1n << 256n) - 1n), (uri, tokenId) => {
      expectLocated(locateOne(uri, tokenId), uri)
    })
    fc.assert(property, { seed, numRuns: 4000 })
  })

  it('is read or refused, and becomes a fact that the topic accepts', () => {
    const property = fc.property(anyBytes, fc.option(binary), (bytes, mediaType) => {
      expectDocument(readDocument(bytes, mediaType))
    })
    fc.assert(property, { seed, numRuns: 4000 })
  })

  it('is read the same from a URI and from a server', () => {
    const property = fc.property(anyBytes, (bytes) => {
      const uri = `data:application/json;base64,${Buffer.from(bytes).toString('base64')}`
      const located = locateOne(uri)
      expect(located.kind).toBe('inline')
      if (located.kind !== 'inline') return
      expect(readDocument(located.bytes, null)).toEqual(readDocument(bytes, null))
    })
    fc.assert(property, { seed, numRuns: 1000 })
  })

  it('becomes a fact that the topic accepts, as media and as a failure', () => {
    const property = fc.property(
      fc.oneof(anyUri, fc.string({ unit: 'binary', minLength: 1000, maxLength: 3000 })),
      fc.oneof(fc.double(), fc.integer()),
      (text, nextAttempt) => {
        expectAccepted({ kind: 'failure', reason: text, nextAttempt })
        expectAccepted({ kind: 'media', url: text, mediaType: text })
      },
    )
    fc.assert(property, { seed, numRuns: 1000 })
  })
})

describe(`what is published well (seed ${seed})`, () => {
  it('is asked for by the names that its files have', () => {
    const name = fc
      .string({ unit: 'binary', minLength: 1 })
      .filter((text) => !/[/%]/.test(text) && !/^\.\.?$/.test(text))
    const property = fc.property(fc.array(name, { minLength: 1 }), (names) => {
      // The ends of a URI are trimmed.
      const located = locateOne(`ipfs://${cid}/${names.join('/')}/1`)
      const urls = located.kind === 'web' ? located.urls : []
      expect(urls.map((url) => decodeURIComponent(new URL(url).pathname))).toEqual(
        ipfsGateways.map(() => `/ipfs/${cid}/${names.join('/')}/1`),
      )
    })
    fc.assert(property, { seed, numRuns: 500 })
  })

  it('is metadata as it was sent, however a URI holds it', () => {
    const values = [fc.string({ unit: 'binary' }), fc.boolean(), fc.integer(), fc.constant(null)]
    const document = fc.object({ key: fc.string({ unit: 'grapheme-ascii' }), values, maxDepth: 3 })
    const property = fc.property(document, (metadata) => {
      const json = JSON.stringify(metadata)
      fc.pre(!json.includes('{id}') && !json.includes('"__proto__"'))
      for (const uri of [
        `data:;base64,${Buffer.from(json).toString('base64url')}`,
        `data:application/json,${encodeURIComponent(json)}`,
        json,
      ]) {
        const located = locateOne(uri)
        const bytes = located.kind === 'inline' ? located.bytes : Buffer.of()
        const read = readDocument(bytes, null)
        expect(read.kind === 'metadata' ? JSON.stringify(read.metadata) : read).toBe(json)
      }
    })
    fc.assert(property, { seed, numRuns: 500 })
  })
})

describe('great documents', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  const megabyte = 1 << 20
  it.each([
    ['levels of lists', '['.repeat(megabyte)],
    ['levels of objects', '{"a":'.repeat(megabyte / 5)],
    ['levels after a short start', `{"a":1,"b":${'['.repeat(100_000)}`],
    ['members', `{"a":[${'1,'.repeat(400_000)}1]}`],
    ['names', `{${'"a":1,'.repeat(160_000)}"b":1}`],
    ['digits', '9'.repeat(megabyte)],
    ['signs', '-'.repeat(megabyte)],
    ['text', `{"a":"${'a'.repeat(900_000)}"}`],
    ['text without an end', `"${'a'.repeat(900_000)}`],
    ['text in a text', JSON.stringify(JSON.stringify({ a: '"'.repeat(200_000) }))],
    ['more bytes than are decoded', `{"a":1}${' '.repeat(documentBytesMax)}`],
    ['five megabytes of levels', '['.repeat(5 * megabyte)],
    ['five megabytes of blanks', ' '.repeat(5 * megabyte)],
    ['five megabytes of comments', '<!--'.repeat(1.25 * megabyte)],
  ])('are refused before they are parsed: %s', (_, text) => {
    const parse = vi.spyOn(JSON, 'parse')
    expect(readDocument(Buffer.from(text), 'application/json').kind).toBe('refused')
    expect(parse).not.toHaveBeenCalled()
  })

  it('are parsed twice at most, as text in text', () => {
    const parse = vi.spyOn(JSON, 'parse')
    let text = '{"a":1}'
    for (let times = 0; times < 8; times++) text = JSON.stringify(text)
    expect(readDocument(Buffer.from(text), null).kind).toBe('refused')
    expect(parse).toHaveBeenCalledTimes(2)
  })

  it('are media whatever their length, as a beginning tells', () => {
    const svg = Buffer.from(`<svg>${' '.repeat(5 * megabyte)}</svg>`)
    expect(readDocument(svg, null)).toEqual({ kind: 'media', mediaType: 'image/svg+xml' })
  })

  it.each([
    ['URL', `https://a/${'1'.repeat(uriCharactersMax)}`],
    ['data', `data:,${'1'.repeat(inlineUriCharactersMax)}`],
    ['blanks', ' '.repeat(5 * megabyte)],
    ['ids', '{id}'.repeat(megabyte / 4)],
    ['ids within data', `data:,${'%7Bid%7D'.repeat(100_000)}`],
  ])('are not located: %s', (_, uri) => {
    expect(locateOne(uri)).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/^more than \d+ characters$/),
    })
  })

  it('are located up to the length that a fact can have, with every byte escaped', () => {
    const json = `{"a":"${'x'.repeat(262_136)}"}`
    const located = locateOne(`data:,${Buffer.from(json).toString('hex').replace(/../g, '%$&')}`)
    expect(located.kind === 'inline' && Buffer.from(located.bytes).toString()).toBe(json)
  })
})

it('tries four URLs of many gateways', () => {
  const many = ['a', 'b', 'c', 'd', 'e'].map((name) => `https://${name}.example/ipfs`)
  const options = { tokenId: 1n, ipfsGateways: many, arweaveGateway }
  expect(locate(`ipfs://${cid}`, options)).toEqual({
    kind: 'web',
    urls: ['a', 'b', 'c', 'd'].map((name) => `https://${name}.example/ipfs/${cid}`),
  })
})

it('asks no gateway for a name of IPNS that serves another path', () => {
  const options = { tokenId: 1n, ipfsGateways: ['https://a.example/files/'], arweaveGateway }
  expect(locate('ipns://cats.example', options)).toEqual({
    kind: 'refused',
    reason: 'no gateway for it',
  })
})
