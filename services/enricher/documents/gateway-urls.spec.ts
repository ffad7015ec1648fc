import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { httpWeb } from '../../../libs/adapters/web/http-web.ts'
import {
  type LocalServer,
  localServer,
  response,
} from '../../../libs/adapters/web/testing/local-servers.ts'
import { arweaveGateway, ipfsGateways } from '../testing/document-case.ts'
import { documentCases } from '../testing/document-cases.ts'
import { gatewayUrls, networkContentOf, urlsOfGateways } from './gateway-urls.ts'

const cid = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG'
const transaction = 'a-_'.padEnd(43, 'Z')
const signal = new AbortController().signal

let server: LocalServer
const gateways = () => ({
  ipfsGateways: [`${server.origin}/first/ipfs/`, `${server.origin}/contents/`],
  arweaveGateway: `${server.origin}/`,
})
const fetched = (url: string) => httpWeb({ trusted: urlsOfGateways(gateways()) }).fetch(url, signal)

beforeAll(async () => {
  server = await localServer((socket) => socket.end(response('{}')))
})
afterAll(() => server.close())

describe('a gateway at a private address', () => {
  it.each([
    `/first/ipfs/${cid}`,
    `/first/ipfs/${cid}/1.json?format=raw`,
    `/first/ipfs/b${'a'.repeat(58)}/a/b`,
    '/first/ipns/documents.example/1',
    `/contents/${cid}`,
    `/${transaction}`,
    `/${transaction}/1.json`,
    `/${transaction}?a`,
  ])('is asked for %s', async (path) =>
    expect(await fetched(server.origin + path)).toMatchObject({ kind: 'fetched' }),
  )

  it.each([
    '/',
    '/admin',
    '/metrics?a',
    '/first/ipfs/',
    '/first/ipfs/admin',
    '/first/ipfs/..%2f..%2fadmin',
    `/first/ipfs/${cid}/..%2f..%2f..%2fadmin`,
    `/first/ipfs/${cid}.txt`,
    '/first/ipns/',
    '/first/ipns/..%2fadmin',
    '/contents/admin',
    '/ipfs/',
    '/ipns/documents.example',
    `/${transaction}Z`,
    `/${transaction.slice(1)}`,
    `/${transaction.slice(1)}%41`,
    `/${transaction}/..%2fadmin`,
    `/${transaction};a/`,
    `//${transaction}`,
  ])('is not asked for %s', async (path) => {
    const { connections } = server
    expect(await fetched(server.origin + path)).toMatchObject({ reason: 'private-address' })
    expect(server.connections).toBe(connections)
  })
})

it('every URL that a contract names at a gateway is one of a content', () => {
  const beginnings = urlsOfGateways({ ipfsGateways, arweaveGateway })
  const urls = documentCases
    .flatMap(({ urls = [] }) => urls)
    .filter((url) => beginnings.some(({ beginning }) => url.startsWith(beginning)))
  expect(urls.length).toBeGreaterThan(50)
  const untrusted = urls.filter(
    (url) =>
      !beginnings.some(
        ({ beginning, segment }) =>
          url.startsWith(beginning) &&
          segment.test(url.slice(beginning.length).split('/')[0] ?? ''),
      ),
  )
  expect(untrusted).toEqual([])
})

it('a gateway has names beside its contents only where its path says so', () => {
  const content = networkContentOf('ipns', '//documents.example/1')
  if (content === null) throw new Error('no name')
  expect(gatewayUrls(content, gateways())).toEqual([
    `${server.origin}/first/ipns/documents.example/1`,
  ])
})
