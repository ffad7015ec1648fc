import { describe, expect, test } from 'vitest'
import { type LogFields, silentLog } from '../../../libs/signals/log.ts'
import { startMetrics } from '../../../libs/signals/metrics.ts'
import { groupId } from '../../../libs/tables/declare/group-versions.ts'
import { prices } from '../../../libs/tables/tables/prices.ts'
import { tokenMarket } from '../../../libs/tables/tables/tokens.ts'
import { bucketOf } from '../../../libs/topics/changes.ts'
import { decodeMessage, encodeMessage } from '../../../libs/topics/codec.ts'
import { deadLetter } from '../../../libs/topics/topics.ts'
import { steps } from '../loop/commit.ts'
import { person } from '../testing/messages.ts'
import { toyGroup } from '../testing/toy-group.ts'
import { Killed, memoryWorld, recordWrites } from '../testing/world.ts'
import { factOffsetsKey } from '../volume/state-keys.ts'
import { startDimensions } from './dimensions.ts'

const worldOf = () => memoryWorld(toyGroup, [prices, tokenMarket])
const priceOf = (moment: string, price: string) => ({
  key: `1:${moment}`,
  value: encodeMessage({ chainId: 1, moment, time: 5, price }),
})
const icon = (url: string) => ({
  key: 'icon',
  value: encodeMessage({ kind: 'icon', token: person(1), time: 5, url }),
})

async function live(
  world: ReturnType<typeof worldOf>,
  position: number,
  killedAt?: string,
): Promise<void> {
  const { eventLog, store, state } = world
  const projector = startDimensions({
    eventLog,
    store,
    state,
    chainId: 1,
    between: async (step) => {
      if (step === killedAt) throw new Killed(step)
    },
  })
  await projector.waitFor(position).catch((error) => {
    if (!(error instanceof Killed)) throw error
  })
  await projector.stop()
}

describe('off-chain facts', () => {
  test('rest as rows whose last one wins', async () => {
    const world = worldOf()
    await world.eventLog.append('coin-prices', [priceOf('now', '1.5'), priceOf('now', '2')])
    await world.eventLog.append('token-facts', [icon('https://a.example/1.png')])
    await live(world, 3)
    const { prices: found, token_market: tokens } = world.store.readAll()
    expect(Object.values(found ?? {})).toHaveLength(1)
    expect(found?.now).toContain('"price":"2"')
    expect(Object.keys(tokens ?? {})).toEqual([`${person(1)}|icon`])
  })

  test('are announced with what they moved', async () => {
    const world = worldOf()
    await world.eventLog.append('coin-prices', [priceOf('now', '1.5')])
    await live(world, 1)
    const moved = { prices: [bucketOf('now')] }
    const expected = { group: groupId('dimensions'), position: 1, block: null, moved }
    expect(await world.announcements()).toEqual([expect.objectContaining(expected)])
  })

  test('that cannot be folded go to dead letters, and the stream goes on', async () => {
    const world = worldOf()
    const broken = { key: 'k', value: Buffer.from('{"price":') }
    await world.eventLog.append('coin-prices', [
      broken,
      priceOf('2024-02-30', '1'),
      priceOf('now', '7'),
    ])
    await live(world, 3)
    const all = { messagesMax: 10, bytesMax: 10_000 }
    const stored = await world.eventLog.read('coin-prices.dead-letters', 0, all)
    const letters = stored.map(({ value }) => decodeMessage(deadLetter, value))
    expect(letters).toMatchObject([
      { message: { offset: 0, key: 'k', error: expect.stringContaining('not JSON') } },
      { message: { offset: 1, error: expect.stringContaining('moment') } },
    ])
    expect(Object.keys(world.store.readAll().prices ?? {})).toEqual(['now'])
  })

  test('are counted, stored ones by their topic, dead letters by topic and reason', async () => {
    const world = worldOf()
    const metrics = startMetrics('projector')
    const samples = async () => (await metrics.registry.metrics()).split('\n')
    const projector = startDimensions({ ...world, chainId: 1, metrics })
    const broken = { key: 'k', value: Buffer.from('{"price":') }
    await world.eventLog.append('coin-prices', [broken, broken, priceOf('now', '7')])
    await world.eventLog.append('token-facts', [icon('https://a.example/1.png')])
    await projector.waitFor(4)
    await projector.stop()
    for (const sample of [
      'foldscan_dead_letters_total{topic="coin-prices",reason="invalid"} 2',
      'foldscan_dead_letters_total{topic="address-facts",reason="invalid"} 0',
      'foldscan_indexed_position{group="dimensions"} 4',
      'foldscan_indexed_offset{topic="coin-prices"} 3',
      'foldscan_indexed_offset{topic="token-facts"} 1',
      'foldscan_indexed_offset{topic="address-facts"} 0',
      'foldscan_flushed_rows_total{group="dimensions"} 2',
    ]) {
      expect(await samples()).toContain(sample)
    }
  })

  test('that are nested without end go to dead letters too', async () => {
    const world = worldOf()
    const metadata = `{"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    const deep = `{"token":"${person(1)}","tokenId":"1","time":1,"media":null,"failure":null,
      "metadata":${metadata}}`
    await world.eventLog.append('instance-facts', [{ key: 'k', value: Buffer.from(deep) }])
    await world.eventLog.append('coin-prices', [priceOf('now', '7')])
    await live(world, 2)
    const all = { messagesMax: 10, bytesMax: 1_000_000 }
    expect(await world.eventLog.read('instance-facts.dead-letters', 0, all)).toHaveLength(1)
    expect(Object.keys(world.store.readAll().prices ?? {})).toEqual(['now'])
  })

  test('are committed in the order of the law, dead letters with the rows', async () => {
    const world = worldOf()
    const broken = { key: 'k', value: Buffer.from('{"price":') }
    await world.eventLog.append('coin-prices', [priceOf('now', '7'), broken])
    const order = recordWrites(world)
    await live(world, 2)
    const rows = ['insert progress', 'insert prices', 'append coin-prices.dead-letters']
    const rest = ['insert progress', 'state', 'append changes', 'outbox']
    expect(order).toEqual([...rows, ...rest])
  })

  test.each(steps)('are all there after a kill at step "%s"', async (step) => {
    const world = worldOf()
    await world.eventLog.append('coin-prices', [priceOf('2024-01-01', '1'), priceOf('now', '7')])
    await live(world, 2, step)
    await live(world, 2)
    expect(Object.keys(world.store.readAll().prices ?? {})).toEqual(['2024-01-01', 'now'])
    expect((await world.announcements()).at(-1)?.position).toBe(2)
  })

  test('of other chains are skipped, counted, and said once', async () => {
    const world = worldOf()
    const metrics = startMetrics()
    const said: LogFields[] = []
    const log = { ...silentLog, warn: (fields: LogFields) => void said.push(fields) }
    const other = (price: string) => ({
      key: '137:now',
      value: encodeMessage({ chainId: 137, moment: 'now', time: 5, price }),
    })
    await world.eventLog.append('coin-prices', [priceOf('now', '7'), other('0.5'), other('0.6')])
    const projector = startDimensions({ ...world, chainId: 1, metrics, log })
    await projector.waitFor(3)
    await projector.stop()
    expect(world.store.readAll().prices?.now).toContain('"price":"7"')
    const { values } = await metrics.skippedMessages.get()
    const labels = { group: 'dimensions', reason: 'other-chain' }
    expect(values).toMatchObject([{ labels, value: 2 }])
    expect(said).toMatchObject([{ topic: 'coin-prices', chainId: 137, reason: 'other-chain' }])
    expect(await world.eventLog.end('coin-prices.dead-letters')).toBe(0)
  })

  test('are read once each from a topic that was compacted', async () => {
    const world = worldOf()
    await world.eventLog.append(
      'coin-prices',
      ['1', '2', '3', '4'].map((text) => priceOf('now', text)),
    )
    const read = world.eventLog.read.bind(world.eventLog)
    const given: number[] = []
    world.eventLog.read = async (topic, offset, limit) => {
      const kept = (await read(topic, offset, limit)).filter((message) => message.offset % 2 === 1)
      given.push(...kept.map((message) => message.offset))
      return kept
    }
    await live(world, 4)
    expect(given).toEqual([1, 3])
    expect(world.store.readAll().prices?.now).toContain('"price":"4"')
  })

  test('are all folded again after an upgrade that makes other rows of them', async () => {
    const world = worldOf()
    await world.eventLog.append('coin-prices', [priceOf('2024-01-01', '1'), priceOf('now', '7')])
    const ofFirstVersion = Buffer.from(JSON.stringify({ 'coin-prices': 2 }))
    await world.state.commit([[factOffsetsKey, ofFirstVersion]])
    await live(world, 2)
    expect(Object.keys(world.store.readAll().prices ?? {})).toEqual(['2024-01-01', 'now'])
  })

  test('are written again to a store that has lost them', async () => {
    const world = worldOf()
    await world.eventLog.append('coin-prices', [priceOf('now', '7')])
    await live(world, 1)
    world.store.loseLast(2)
    await live(world, 1)
    expect(Object.keys(world.store.readAll().prices ?? {})).toEqual(['now'])
  })
})
