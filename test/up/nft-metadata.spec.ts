import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { messageText } from '../../libs/topics/codec.ts'
import { type DocumentCase, ipfsGateways } from '../../services/enricher/testing/document-case.ts'
import { documentCases } from '../../services/enricher/testing/document-cases.ts'
import { DocumentServer } from '../enricher/document-server.ts'
import { NftChain } from '../enricher/nft-chain.ts'
import { until } from '../support/until.ts'
import { endAll, freshFolder, type Running, startCommand } from './running.ts'

const cid = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG'
const [gateway = ''] = ipfsGateways
const gatewayOrigin = new URL(gateway).origin
/** Gas of a block is enough for the URIs of so many characters. */
const blockCharactersMax = 8_000
/** Longer ones do not fit into a block. */
const uriCharactersMax = 8_000
/** Paths that no gateway on loopback is asked for: servers differ in what they mean. */
const untrusted = /%(?:2f|5c)/i

const nft = z.looseObject({
  id: z.string(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  image_url: z.string().nullable(),
  animation_url: z.string().nullable(),
})
type Nft = z.output<typeof nft>
const nftPage = z.object({
  items: z.array(nft),
  next_page_params: z.record(z.string(), z.coerce.string()).nullable(),
})

interface Minted {
  readonly row: DocumentCase
  readonly uri: string
  /** Of the document server; null if the contract names none there. */
  readonly path: string | null
}

/** Cases that a server on loopback can answer, by the id that each gets. */
function mintedCases(): ReadonlyMap<bigint, Minted> {
  const minted = new Map<bigint, Minted>()
  for (const [at, row] of documentCases.entries()) {
    const uri = row.uri ?? `ipfs://${cid}/case-${at}`
    const isOfOne = /\{id\}|%7bid%7d/i.test(uri)
    const id = row.tokenId ?? (isOfOne ? 1n : BigInt(1_000 + at))
    const [first] = row.urls ?? (row.answer ? [`${gateway}${cid}/case-${at}`] : [])
    const isHere = first === undefined || first.startsWith(gatewayOrigin)
    if (first !== undefined && untrusted.test(first)) continue
    if (!isHere || uri === '' || uri.length > uriCharactersMax || minted.has(id)) continue
    minted.set(id, { row, uri, path: first?.slice(gatewayOrigin.length) ?? null })
  }
  return minted
}

const cases = mintedCases()
let chain: NftChain
let documents: DocumentServer
let up: Running

/** All NFTs of the owner, by id. */
async function shownNfts(): Promise<ReadonlyMap<bigint, Nft>> {
  const shown = new Map<bigint, Nft>()
  let query = '?items_count=100'
  for (;;) {
    const { body } = await up.get(`/api/v2/addresses/${chain.owner}/nft${query}`)
    const { items, next_page_params: next } = nftPage.parse(body)
    for (const item of items) shown.set(BigInt(item.id), item)
    if (next === null) return shown
    query = `?${new URLSearchParams(next)}`
  }
}

const attempts = async () => {
  const text = await (await fetch(`${await up.origin()}/metrics`)).text()
  const counts = [...text.matchAll(/^foldscan_enricher_fetched_total\{.*\} (\d+)$/gm)]
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}

beforeAll(async () => {
  ;[chain, documents] = await Promise.all([NftChain.start(), DocumentServer.start()])
  let block = new Map<bigint, string>()
  let characters = 0
  for (const [id, { row, uri, path }] of cases) {
    const { body, contentType = null } = row.answer ?? {}
    const headers: Record<string, string> = {}
    if (contentType !== null) headers['content-type'] = contentType
    if (path !== null) documents.serve(path, { ...(body ? { body } : {}), headers })
    if (characters + uri.length > blockCharactersMax) {
      await chain.mint(block)
      block = new Map()
      characters = 0
    }
    block.set(id, uri)
    characters += uri.length
  }
  await chain.mint(block)
  const flags = {
    port: '0',
    source: chain.node.url,
    'data-dir': freshFolder(),
    'ipfs-gateways': `${documents.origin}/ipfs/`,
    'arweave-gateway': `${documents.origin}/ar/`,
  }
  up = startCommand('up', flags, { FOLDSCAN_METADATA: 'true' })
  await until('each NFT was tried', async () => (await attempts()) >= cases.size)
})
afterAll(async () => {
  endAll()
  await Promise.all([chain.stop(), documents.stop()])
})

it('fetches what each contract names, and shows it as the specification says', async () => {
  expect(cases.size).toBeGreaterThan(150)
  await until('all are shown', async () => {
    const shown = [...(await shownNfts()).values()]
    const expected = [...cases.values()].filter(({ row }) => shownMetadata(row) !== null)
    return shown.filter(({ metadata }) => metadata !== null).length >= expected.length
  })
  const shown = await shownNfts()
  expect(shown.size).toBe(cases.size)
  for (const [id, { row, path }] of cases) {
    const found = shown.get(id)
    expect(messageText(found?.metadata), row.name).toBe(messageText(shownMetadata(row)))
    if (row.shown !== undefined) {
      const { metadata: _, ...fields } = row.shown
      expect(found, row.name).toMatchObject(fields)
    }
    if (!('media' in row.expected) || path === null) continue
    const url = `${documents.origin}${path}`
    const isVideo = row.expected.media.startsWith('video')
    expect(found, row.name).toMatchObject({
      image_url: isVideo ? null : url,
      animation_url: isVideo ? url : null,
    })
  }
})

it('asks a server once for each document', () => {
  const paths = [...cases.values()].flatMap(({ path }) => path ?? [])
  expect(new Set(documents.asked)).toEqual(new Set(paths))
  expect(documents.asked).toHaveLength(paths.length)
})

function shownMetadata({ expected, shown }: DocumentCase) {
  if (shown?.metadata !== undefined) return shown.metadata
  return 'metadata' in expected ? expected.metadata : null
}
