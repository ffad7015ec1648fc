import { afterEach, describe, expect, it } from 'vitest'
import { SourceError } from '../../libs/ports/chain-source.ts'
import { LogUnavailable } from '../../libs/ports/event-log.ts'
import type { UriResult } from '../../libs/ports/token-uris.ts'
import { alice, contract, nftMinted } from '../../libs/projections/testing/facts.ts'
import { until } from '../../test/support/until.ts'
import { broken, document, EnricherWorld } from './testing/enricher-world.ts'

const token = contract(1)

describe('an enricher to whom others fail', () => {
  let world = new EnricherWorld()
  afterEach(async () => {
    await world.stop()
    world = new EnricherWorld()
  })

  it('publishes the reason of a failure, and tries again', async () => {
    world.page = () => broken('unreachable')
    await world.publish(nftMinted(token, alice, 1n))
    await world.start()
    const [first, second] = await world.published(2)
    expect(first).toMatchObject({ metadata: null, media: null })
    expect(first?.failure?.reason).toBe('no connection: unreachable')
    const [at, nextAt] = [first?.time ?? 0, second?.failure?.nextAttempt ?? 0]
    expect(nextAt - at).toBeGreaterThanOrEqual(60)
    expect(world.fetched).toHaveLength(2)
  })

  it('tries a URL that no server can mend only after the longer pause', async () => {
    world.page = () => broken('private-address')
    await world.publish(nftMinted(token, alice, 1n))
    await world.start()
    const [fact] = await world.published(1)
    expect((fact?.failure?.nextAttempt ?? 0) - (fact?.time ?? 0)).toBeGreaterThanOrEqual(60)
  })

  it('tries what the contract itself spoilt only after the longer pause', async () => {
    world.answer = () => ({ kind: 'uri', text: 'ftp://art.example/1' })
    await world.publish(nftMinted(token, alice, 1n))
    const enricher = await world.start()
    const [fact] = await world.published(1)
    expect((fact?.failure?.nextAttempt ?? 0) - (fact?.time ?? 0)).toBeGreaterThanOrEqual(60)
    expect([world.fetched, enricher.waiting()]).toEqual([[], 1])
  })

  it.each<[string, UriResult, string]>([
    ['names no document', { kind: 'none' }, 'the contract names no document'],
    ['does not answer', { kind: 'unanswered' }, 'the contract did not answer in time'],
  ])('says so of a contract that %s', async (_, answer, reason) => {
    world.answer = () => answer
    await world.publish(nftMinted(token, alice, 1n))
    await world.start({ pausesMs: [60_000] })
    expect(await world.published(1)).toMatchObject([{ metadata: null, failure: { reason } }])
  })

  it('waits long for no server that has had too many requests', async () => {
    const sentence = 'the host answered 429'
    world.page = () => ({ kind: 'failed', reason: 'status', status: 429, sentence })
    await world.publish(nftMinted(token, alice, 1n))
    await world.start()
    await until('four attempts', async () => world.fetched.length >= 4)
    expect((await world.facts())[0]?.failure?.reason).toBe(sentence)
  })

  it('takes nothing for a while where a host is busy: the node would be asked in vain', async () => {
    const asked: number[] = []
    const { answer } = world
    world.answer = (request) => {
      asked.push(performance.now())
      return answer(request)
    }
    world.page = () => ({ kind: 'busy' })
    await world.publish(nftMinted(token, alice, 1n))
    await world.start({ busyTakePauseMs: 100 })
    await until('four questions', async () => asked.length >= 4)
    const pauses = asked.slice(1).map((at, nth) => at - (asked[nth] ?? at))
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(99)
  })

  it('comes back to a host that is busy, without a word of failure', async () => {
    let busy = 3
    world.page = (url) => (busy-- > 0 ? { kind: 'busy' } : document({ name: url }))
    await world.publish(nftMinted(token, alice, 1n))
    await world.start()
    expect(await world.published(1)).toMatchObject([{ failure: null }])
  })

  it('waits for a node that is away, and blames no contract', async () => {
    let away = 3
    world.answer = ({ tokenId }) => {
      if (away-- > 0) throw new SourceError('unreachable', 'no connection')
      return { kind: 'uri', text: `https://art.example/${tokenId}` }
    }
    await world.publish(nftMinted(token, alice, 1n))
    await world.start()
    expect(await world.published(1)).toMatchObject([{ failure: null }])
    expect(world.asked).toHaveLength(4)
  })

  it('publishes what it fetched once the log is back', async () => {
    let away = 3
    const inner = world.log
    world.log = {
      append: async (topic, messages) => {
        if (topic === 'instance-facts' && away-- > 0) throw new LogUnavailable('no broker')
        return inner.append(topic, messages)
      },
      read: async (topic, offset, limit) => {
        if (away-- > 0) throw new LogUnavailable('no broker')
        return inner.read(topic, offset, limit)
      },
      begin: (topic) => inner.begin(topic),
      end: (topic) => inner.end(topic),
      waitBeyond: (topic, offset, signal) => inner.waitBeyond(topic, offset, signal),
      close: () => inner.close(),
    }
    await world.publish(nftMinted(token, alice, 1n))
    away = 6
    await world.start()
    await world.published(1)
    expect(world.fetched).toHaveLength(1)
  })

  it('asks again for what the node had no time for, without a word of failure', async () => {
    let late = 2
    world.answer = () =>
      late-- > 0 ? { kind: 'cut-off' } : { kind: 'uri', text: 'https://a.example' }
    await world.publish(nftMinted(token, alice, 1n))
    await world.start()
    expect(await world.published(1)).toMatchObject([{ failure: null }])
  })
})
