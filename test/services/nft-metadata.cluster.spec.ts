import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { DocumentServer } from '../enricher/document-server.ts'
import { NftChain } from '../enricher/nft-chain.ts'
import { cluster, noCluster, ownPlace } from '../support/cluster.ts'
import { until } from '../support/until.ts'
import { endAll, freshFolder, type Running } from '../up/running.ts'
import { type OwnServices, ownServices, untilReasons } from './own-services.ts'

const cid = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG'
const nftPage = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      metadata: z.looseObject({ name: z.string() }).nullable(),
      image_url: z.string().nullable(),
    }),
  ),
})

/** By files the coin costs 2,000, and tokens that move are followed beside NFTs. */
function priceSource(): string {
  const folder = freshFolder()
  const [file, price] = [join(folder, 'source.json'), join(folder, 'coin.json')]
  writeFileSync(price, '{"usd":2000}')
  const url = `${pathToFileURL(price)}`
  const coin = { url, price: ['usd'] }
  writeFileSync(file, JSON.stringify({ coin, tokens: { url, price: ['{address}'] } }))
  return file
}

describe.skipIf(noCluster)('metadata of NFTs on a cluster', () => {
  let own: OwnServices
  let chain: NftChain
  let documents: DocumentServer
  /** What no fetch may reach. */
  let trap: DocumentServer
  let api: Running

  const startEnricher = () =>
    own.start('enricher', {
      source: chain.node.url,
      'ipfs-gateways': `${documents.origin}/ipfs/`,
      'arweave-gateway': `${documents.origin}/ar/`,
      'price-source': priceSource(),
    })
  const nfts = async () => {
    const { body } = await api.get(`/api/v2/addresses/${chain.owner}/nft?items_count=100`)
    const items = nftPage.safeParse(body).data?.items ?? []
    return new Map(items.map(({ id, ...shown }) => [id, shown]))
  }
  const shows = (count: number) =>
    until(`${count} NFTs have metadata`, async () => {
      const shown = [...(await nfts()).values()]
      return shown.filter(({ metadata }) => metadata !== null).length === count
    })

  beforeAll(async () => {
    ;[chain, documents, trap] = await Promise.all([
      NftChain.start(),
      DocumentServer.start(),
      DocumentServer.start(),
    ])
    own = ownServices(cluster(), ownPlace())
    await own.createTopics()
    const chainId = { 'chain-id': '31337' }
    expect(await own.run('migrate', chainId)).toMatchObject({ code: 0 })
    own.start('ingestor', { source: chain.node.url, ...chainId })
    for (const group of ['ledger', 'state', 'dimensions']) own.start('projector', { group })
    api = own.start('api')
  })
  afterAll(async () => {
    endAll()
    await Promise.all([chain.stop(), documents.stop(), trap.stop(), own.drop()])
  })

  it('is fetched from where the contract says, and shown', async () => {
    const image = 'ipfs://QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG/1.png'
    documents.serve(`/ipfs/${cid}/1`, { body: JSON.stringify({ name: 'One', image }) })
    trap.serve('/', { body: '{"name":"reached"}' })
    await chain.mint(
      new Map([
        [1n, `ipfs://${cid}/1`],
        [2n, `data:application/json,${encodeURIComponent('{"name":"Two"}')}`],
        [3n, `${trap.origin}/`],
      ]),
    )
    const enricher = startEnricher()
    await untilReasons(enricher)
    await until('the private URL was refused', async () => {
      const metrics = await (await fetch(`${await enricher.health()}/metrics`)).text()
      return metrics.includes('foldscan_enricher_fetched_total{result="private-address"} 1\n')
    })
    await until('a price was published', async () => {
      const metrics = await (await fetch(`${await enricher.health()}/metrics`)).text()
      return metrics.includes('foldscan_prices_total{kind="coin",result="published"} 1\n')
    })
    await shows(2)
    expect(await nfts()).toEqual(
      new Map([
        ['1', { metadata: { name: 'One', image }, image_url: `https://ipfs.io/ipfs/${cid}/1.png` }],
        ['2', { metadata: { name: 'Two' }, image_url: null }],
        ['3', { metadata: null, image_url: null }],
      ]),
    )
    expect(trap.asked).toEqual([])
    enricher.kill('SIGKILL')
    await enricher.exited
  })

  it('is not fetched again after a kill, but what came meanwhile is', async () => {
    documents.serve(`/ipfs/${cid}/${'4'.padStart(64, '0')}.json`, { body: '{"name":"Four"}' })
    await chain.mint(new Map([[4n, `ipfs://${cid}/{id}.json`]]), 'mintSome')
    const enricher = startEnricher()
    await shows(3)
    enricher.kill('SIGTERM')
    expect(await enricher.exited).toMatchObject({ code: 0, stderr: '' })
    expect(documents.asked.filter((path) => path === `/ipfs/${cid}/1`)).toHaveLength(1)
  })

  it('is known from the topics where the volume is lost', async () => {
    rmSync(join(own.environment.FOLDSCAN_DATA_DIR ?? '', 'enricher-volume'), { recursive: true })
    documents.serve(`/ipfs/${cid}/5`, { body: '{"name":"Five"}' })
    await chain.mint(new Map([[5n, `ipfs://${cid}/5`]]))
    const enricher = startEnricher()
    await shows(4)
    enricher.kill('SIGTERM')
    expect(await enricher.exited).toMatchObject({ code: 0, stderr: '' })
    expect(documents.asked).toHaveLength(3)
  })
})
