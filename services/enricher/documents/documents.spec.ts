import { expect, it } from 'vitest'
import { position } from '../../../libs/chain/position.ts'
import { instanceFactsOf } from '../../../libs/presenters/facts.ts'
import { instanceObject } from '../../../libs/presenters/objects/instance.ts'
import { lookupsOf } from '../../../libs/presenters/testing/lookups.ts'
import { anAddress } from '../../../libs/presenters/testing/rows.ts'
import { decodeMessage, encodeMessage, messageText } from '../../../libs/topics/codec.ts'
import { type InstanceFact, instanceFact } from '../../../libs/topics/facts/instance-facts.ts'
import { arweaveGateway, type DocumentCase, ipfsGateways } from '../testing/document-case.ts'
import { documentCases } from '../testing/document-cases.ts'
import { type InstanceResult, instanceFactOf } from './instance-fact.ts'
import { type Located, locate } from './locate.ts'
import { readDocument } from './read-document.ts'

const token = anAddress(0x71)
const tokenId = 1n
const time = 1_700_000_000
const nextAttempt = time + 3600
const somewhere = 'https://documents.example/1'

const locatedOf = (row: DocumentCase): Located =>
  locate(row.uri ?? somewhere, { tokenId: row.tokenId ?? tokenId, ipfsGateways, arweaveGateway })

/** As a service would, with the row's answer in place of a server. */
function resultOf(row: DocumentCase, located: Located): InstanceResult {
  const failed = (reason: string) => ({ kind: 'failure', reason, nextAttempt }) as const
  if (located.kind === 'refused') return failed(located.reason)
  if (located.kind === 'web' && row.answer === undefined) return failed('no answer')
  const document =
    located.kind === 'inline'
      ? readDocument(located.bytes, located.mediaType)
      : readDocument(row.answer?.body ?? Buffer.of(), row.answer?.contentType ?? null)
  if (document.kind === 'refused') return failed(document.reason)
  const url = located.kind === 'web' ? (located.urls[0] ?? '') : (row.uri ?? '')
  return document.kind === 'media' ? { ...document, url } : document
}

/** Of media, where they came from, if a fact may have a URL of that length. */
function mediaUrlsOf({ expected, uri }: DocumentCase, located: Located) {
  if (!('media' in expected)) return [null, null]
  const url = located.kind === 'web' ? (located.urls[0] ?? '') : (uri ?? '')
  const shown = url.length > 8192 ? null : url
  return /^video/.test(expected.media) ? [null, shown] : [shown, null]
}

function expectedOf(row: DocumentCase, located: Located): Partial<InstanceFact> {
  const { expected } = row
  if ('metadata' in expected) return { metadata: expect.anything(), media: null, failure: null }
  if ('refused' in expected) {
    return { metadata: null, media: null, failure: { reason: expected.refused, nextAttempt } }
  }
  const [imageUrl = null, animationUrl = null] = mediaUrlsOf(row, located)
  const media = { imageUrl, animationUrl, externalUrl: null, mediaType: expected.media }
  return { metadata: null, media, failure: null }
}

const instanceOf = (fact: InstanceFact) =>
  instanceObject(
    { token, tokenId, standard: 'ERC-721' },
    lookupsOf({
      instanceFacts: instanceFactsOf({
        token,
        tokenId,
        fact: messageText(fact),
        position: position(1),
        isDeleted: 0,
      }),
    }),
  )

it('has cases of distinct names, two hundred and more', () => {
  expect(new Set(documentCases.map(({ name }) => name)).size).toBe(documentCases.length)
  expect(documentCases.length).toBeGreaterThan(200)
})

it.each(documentCases.map((row) => [row.name, row] as const))('%s', (_, row) => {
  const located = locatedOf(row)
  if (row.urls !== undefined) expect(located).toEqual({ kind: 'web', urls: row.urls })
  const fact = instanceFactOf({ token, tokenId, time, result: resultOf(row, located) })
  expect(fact).toEqual({ token, tokenId, time, ...expectedOf(row, located) })
  expect(decodeMessage(instanceFact, encodeMessage(fact))).toEqual({ message: fact })
  const metadata = 'metadata' in row.expected ? row.expected.metadata : null
  // As text, in which members have an order, and a prototype is no member.
  expect(messageText(fact.metadata)).toBe(messageText(metadata))
  const [image_url, animation_url] = mediaUrlsOf(row, located)
  const ofMedia = 'metadata' in row.expected ? {} : { image_url, animation_url }
  expect(instanceOf(fact)).toMatchObject({ ...ofMedia, ...row.shown })
  const shown = row.shown?.metadata === undefined ? metadata : row.shown.metadata
  expect(messageText(instanceOf(fact).metadata)).toBe(messageText(shown))
})
