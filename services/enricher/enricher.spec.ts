import { afterEach, describe, expect, it } from 'vitest'
import { memoryStateStore } from '../../libs/ports/testing/memory-state-store.ts'
import { eventLog as logged } from '../../libs/projections/testing/events.ts'
import {
  alice,
  bob,
  contract,
  emitted,
  moved,
  nftMinted,
} from '../../libs/projections/testing/facts.ts'
import { until } from '../../test/support/until.ts'
import { broken, document, EnricherWorld } from './testing/enricher-world.ts'

const token = contract(1)
const changedLog = (id: bigint) => emitted(logged(token, 'event MetadataUpdate(uint256 id)', [id]))

describe('an enricher', () => {
  let world = new EnricherWorld()
  afterEach(async () => {
    await world.stop()
    world = new EnricherWorld()
  })

  it('publishes the metadata of each NFT that blocks name, once', async () => {
    await world.publish(nftMinted(token, alice, 7n), moved(contract(2), [alice, bob], [9n, 1n]))
    await world.start()
    const facts = await world.published(2)
    await world.publish(nftMinted(token, bob, 8n))
    await world.published(3)
    expect(facts).toContainEqual({
      token,
      tokenId: 7n,
      time: expect.any(Number),
      metadata: { name: 'https://art.example/7' },
      media: null,
      failure: null,
    })
    expect(world.asked.map(({ tokenId, function: name }) => [tokenId, name])).toEqual([
      [7n, 'tokenURI'],
      [9n, 'uri'],
      [8n, 'tokenURI'],
    ])
  })

  it('goes on after a restart where it was, and fetches nothing again', async () => {
    await world.publish(nftMinted(token, alice, 1n))
    await world.start()
    await world.published(1)
    await world.stop()
    await world.publish(nftMinted(token, alice, 2n))
    await world.start()
    await world.published(2)
    expect(world.fetched).toHaveLength(2)
  })

  it('fills a lost volume from the topics, and fetches nothing again', async () => {
    await world.publish(nftMinted(token, alice, 1n))
    await world.start()
    await world.published(1)
    await world.stop()
    world.volume.entries.clear()
    await world.publish(nftMinted(token, alice, 2n))
    await world.start()
    await world.published(2)
    expect(world.fetched).toEqual(['https://art.example/1', 'https://art.example/2'])
  })

  it('fetches what its contract says has changed, and keeps what it had if that fails', async () => {
    await world.publish(nftMinted(token, alice, 1n))
    await world.start()
    await world.published(1)
    world.page = () => document({ name: 'changed' })
    await world.publish(changedLog(1n))
    expect((await world.published(2))[1]?.metadata).toEqual({ name: 'changed' })
    world.page = () => broken('unreachable')
    await world.publish(changedLog(1n))
    await until('two more attempts', async () => world.fetched.length >= 4)
    await world.stop()
    expect(await world.facts()).toHaveLength(2)
  })

  it('asks the next gateway where one has no document', async () => {
    const text = 'https://ipfs.io/ipfs/QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG/1'
    world.answer = () => ({ kind: 'uri', text })
    world.page = (url) =>
      url.startsWith('https://gateway.example/')
        ? document({ name: 'found' })
        : { kind: 'fetched', bytes: Buffer.from('<html>'), mediaType: 'text/html', url }
    await world.publish(nftMinted(token, alice, 1n))
    await world.start()
    expect((await world.published(1))[0]?.metadata).toEqual({ name: 'found' })
    expect(world.fetched).toHaveLength(2)
  })

  it('fetches no more at a time than its bound, and others beside those that hang', async () => {
    let [now, most] = [0, 0]
    const free: (() => void)[] = []
    world.page = (url) =>
      new Promise((resolve) => {
        most = Math.max(most, ++now)
        free.push(() => {
          now--
          resolve(document({ name: url }))
        })
      })
    await world.publish(
      ...Array.from({ length: 10 }, (_, at) => nftMinted(token, alice, BigInt(at))),
    )
    await world.start({ fetchesMax: 4 })
    await until('four hang', async () => free.length === 4)
    for (let at = 0; at < 10; at++) {
      await until('another one', async () => free.length > at)
      free[at]?.()
    }
    await world.published(10)
    expect(most).toBe(4)
  })

  it('leaves nothing undone that a stop cuts off, whether a server or the node hangs', async () => {
    world.page = () => new Promise(() => {})
    await world.publish(nftMinted(token, alice, 1n))
    await world.start()
    await until('it is fetched', async () => world.fetched.length === 1)
    world.answer = () => new Promise(() => {})
    await world.publish(nftMinted(contract(2), alice, 2n))
    await until('the node is asked', async () => world.asked.length === 2)
    await world.stop()
    expect(await world.facts()).toEqual([])
    world.page = (url) => document({ name: url })
    world.answer = ({ tokenId }) => ({ kind: 'uri', text: `https://art.example/${tokenId}` })
    await world.start()
    await world.published(2)
  })

  it('fails where another process has opened its volume', async () => {
    await world.publish(nftMinted(token, alice, 1n))
    const enricher = await world.start()
    await world.published(1)
    memoryStateStore(world.volume)
    await world.publish(nftMinted(token, alice, 2n))
    await expect(enricher.failed).rejects.toThrow('the volume was opened again')
  })
})
