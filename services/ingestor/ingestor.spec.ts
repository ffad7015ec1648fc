import { describe, expect, it } from 'vitest'
import { zeroHash } from '../../libs/chain/hex.ts'
import { SourceError, sourceErrorKinds } from '../../libs/ports/chain-source.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { memoryStateStore } from '../../libs/ports/testing/memory-state-store.ts'
import { seenIn } from '../../libs/signals/block-stage.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { StartupError } from '../../libs/signals/startup-error.ts'
import { chainInLog } from '../../test/support/chain-in-log.ts'
import { SourceOfValues, tokenAddress } from '../../test/support/source-of-values.ts'
import { chainOf, published } from './testing/published.ts'
import { startInMemory } from './testing/start-in-memory.ts'

const hashes = (source: SourceOfValues) =>
  new Map([...source.blocks].map(([number, { hash }]) => [number, hash]))
const kinds = async (eventLog: ReturnType<typeof memoryEventLog>) =>
  (await chainInLog(eventLog)).accepted.map(({ kind }) => kind)

describe('publishing a chain', () => {
  it('publishes each block once, in order, with sequences from 1', async () => {
    const eventLog = memoryEventLog()
    const source = chainOf(50)
    expect(await published({ source, eventLog })).toBeNull()
    const { accepted, skipped, standing } = await chainInLog(eventLog)
    expect(accepted.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 50 }, (_, i) => i + 1),
    )
    expect(skipped).toEqual([])
    expect(standing).toEqual(hashes(source))
  })

  it('begins at the given block, and later continues where it stopped', async () => {
    const eventLog = memoryEventLog()
    const state = memoryStateStore()
    const source = chainOf(10)
    await published({ source, eventLog, state, fromBlock: 7 })
    source.grow(1)
    await published({ source, eventLog, state, fromBlock: 3 })
    expect([...(await chainInLog(eventLog)).standing.keys()]).toEqual([7, 8, 9, 10])
    expect(await eventLog.end('blocks')).toBe(4)
  })

  it('says beside new blocks when it first had them, and of no backlog', async () => {
    const eventLog = memoryEventLog()
    const metrics = startMetrics()
    const startedAt = Date.now()
    await published({ source: chainOf(200), eventLog, metrics })
    const messages = await eventLog.read('blocks', 0, { messagesMax: 1_000, bytesMax: 1e9 })
    const times = messages.map(({ headers }) => seenIn(headers))
    expect(times.slice(0, 136)).toEqual(Array(136).fill(null))
    expect(times.slice(136).every((time) => time !== null && time >= startedAt)).toBe(true)
    const counts = (await metrics.blockStageSeconds.get()).values.filter(
      ({ labels, metricName }) =>
        labels.stage === 'published' && metricName === 'foldscan_block_stage_seconds_count',
    )
    expect(counts.map(({ value }) => value)).toEqual([64])
  })

  it('exports how far it and its source are, from the start on', async () => {
    const eventLog = memoryEventLog()
    const source = chainOf(10)
    for (const count of [10, 11]) {
      const metrics = startMetrics()
      await published({ source, eventLog, metrics })
      expect((await metrics.publishedPosition.get()).values).toMatchObject([{ value: count }])
      if (count === 10) source.grow(1)
    }
    const metrics = startMetrics()
    await published({ source, eventLog, metrics })
    const head = source.blocks.get(10)
    const valuesOf = async (gauge: Pick<typeof metrics.sourceBlock, 'get'>) =>
      (await gauge.get()).values.map(({ value }) => value)
    expect(await valuesOf(metrics.publishedPosition)).toEqual([11])
    expect(await valuesOf(metrics.publishedBlock)).toEqual([head?.number])
    expect(await valuesOf(metrics.publishedTime)).toEqual([head?.timestamp])
    expect(await valuesOf(metrics.sourceBlock)).toEqual([head?.number])
  })

  it('refuses a source of another chain', async () => {
    const eventLog = memoryEventLog()
    await published({ source: chainOf(1), eventLog })
    const refused = startInMemory({ source: new SourceOfValues(5), eventLog })
    await expect(refused).rejects.toThrow(
      /^The log contains chain 1, the source is of chain 5: .*\.$/,
    )
    await expect(refused).rejects.toBeInstanceOf(StartupError)
  })

  it('tries again while the source is in trouble', async () => {
    const eventLog = memoryEventLog()
    const source = chainOf(5)
    source.troubles.push(...Array.from({ length: 7 }, () => new SourceError('timed-out', 'slow')))
    const metrics = startMetrics()
    expect(await published({ source, eventLog, metrics, limits: { blocksAheadMax: 1 } })).toBeNull()
    expect(await kinds(eventLog)).toHaveLength(5)
    const { values } = await metrics.nodeRetries.get()
    const counted = Object.fromEntries(values.map(({ labels, value }) => [labels.reason, value]))
    expect(counted).toEqual({
      ...Object.fromEntries(sourceErrorKinds.map((kind) => [kind, 0])),
      'timed-out': 7,
    })
  })

  it('sees how far a source is whose next block it cannot take', async () => {
    const source = chainOf(5)
    const take = source.block.bind(source)
    let tries = 0
    source.block = async (number) => {
      if (number < 3) return take(number)
      source.grow(1)
      if (++tries === 20) throw new Error('the last try')
      throw new SourceError('half-answer', 'came without receipts')
    }
    const metrics = startMetrics()
    const eventLog = memoryEventLog()
    await published({ source, eventLog, metrics, limits: { blocksAheadMax: 1 } })
    const before = [...source.blocks.keys()].at(-2)
    expect((await metrics.sourceBlock.get()).values).toMatchObject([{ value: before }])
  })

  it('halts at a fault that does not pass, having published what came before', async () => {
    const eventLog = memoryEventLog()
    const source = chainOf(5)
    const broken = source.blocks.get(3)
    source.block = async (number) => {
      if (number === broken?.number) throw new Error('3.json is not JSON')
      const block = source.blocks.get(number)
      return block ? { ...block, contracts: [] } : null
    }
    expect((await published({ source, eventLog }))?.message).toBe('3.json is not JSON')
    expect(await kinds(eventLog)).toHaveLength(3)
  })

  it('halts at a message above the bound, naming block and bound', async () => {
    const eventLog = memoryEventLog()
    const failure = await published({
      source: chainOf(1),
      eventLog,
      limits: { messageBytesMax: 100 },
    })
    expect(failure?.message).toMatch(/^block 0 makes a message of \d+ bytes, above messageBytesMax/)
    expect(await eventLog.end('blocks')).toBe(0)
  })
})

describe('a hole in a source', () => {
  const holed = () => {
    const source = chainOf(10)
    for (const number of [4, 5]) source.blocks.delete(number)
    return source
  }

  it('halts with both blocks named', async () => {
    const eventLog = memoryEventLog()
    const failure = await published({ source: holed(), eventLog })
    expect(failure?.message).toMatch(
      /^the source has block 3 and then block 6: blocks 4 to 5 are missing/,
    )
    expect(await kinds(eventLog)).toHaveLength(4)
  })

  it('is declared if that is allowed', async () => {
    const eventLog = memoryEventLog()
    expect(await published({ source: holed(), eventLog, allowGaps: true })).toBeNull()
    const { accepted, skipped } = await chainInLog(eventLog)
    expect(accepted[4]).toMatchObject({ kind: 'gap.declared', from: 4, to: 5, sequence: 5 })
    expect(accepted).toHaveLength(9)
    expect(skipped).toEqual([])
  })
})

describe('what was observed', () => {
  const observation = (block: number) => ({
    block,
    hash: zeroHash,
    balances: [],
    supplies: [],
    owners: [],
    tokens: [],
  })

  it('stands after its block, and before the first if it was seen before', async () => {
    const eventLog = memoryEventLog()
    const source = chainOf(6)
    for (const block of [1, 2, 4]) source.observations.set(block, observation(block))
    await published({ source, eventLog, fromBlock: 3 })
    const { accepted } = await chainInLog(eventLog)
    const said = accepted.map((each) => (each.kind === 'state.observed' ? each.block : each.kind))
    expect(said).toEqual([2, 'block.applied', 'block.applied', 4, 'block.applied'])
    expect(accepted[0]).toMatchObject({ hash: source.blocks.get(2)?.hash })
  })
})

describe('metadata of tokens', () => {
  it('is attached from the first sight until that is deep, and asked once', async () => {
    const eventLog = memoryEventLog()
    const source = new SourceOfValues()
    const token = tokenAddress(7)
    for (let number = 0; number < 12; number++) source.grow(1, number < 2 ? [] : [token])
    await published({ source, eventLog, limits: { firstSightDepthMax: 5 } })
    const { accepted } = await chainInLog(eventLog)
    const attached = accepted.flatMap((message) =>
      message.kind === 'block.applied' && message.tokens.length > 0 ? [message.block.number] : [],
    )
    expect(attached).toEqual([2, 3, 4, 5, 6])
    expect(source.asked).toEqual([[2, [token]]])
  })

  const orphanSaid = async (source: SourceOfValues) => {
    const eventLog = memoryEventLog()
    const state = memoryStateStore()
    const token = tokenAddress(7)
    source.grow(1)
    source.grow(1, [token])
    await published({ source, eventLog, state })
    source.fork(1, 1, 2)
    source.grow(2, [token])
    return { eventLog, state, token }
  }

  it('is asked again when the block in which the token was first seen is orphaned', async () => {
    const source = new SourceOfValues()
    const { eventLog, state, token } = await orphanSaid(source)
    await published({ source, eventLog, state })
    source.grow(2, [token])
    await published({ source, eventLog, state })
    const last = (await chainInLog(eventLog)).accepted.slice(-2)
    const tokens = [{ address: token, block: 2, totalSupply: 1n }]
    expect(last).toMatchObject([
      { block: { number: 2 }, tokens },
      { block: { number: 3 }, tokens },
    ])
    expect(source.asked.map(([block]) => block)).toEqual([1, 2])
  })

  it('is not lost with the orphan if nobody answers, but for its supply', async () => {
    const source = new SourceOfValues()
    const { eventLog, state, token } = await orphanSaid(source)
    source.tokens = async () => ({ metadata: [], failed: [], cutOff: [] })
    await published({ source, eventLog, state })
    const last = (await chainInLog(eventLog)).accepted.at(-1)
    const words = { address: token, name: 'token as of 1', block: 1, totalSupply: null }
    expect(last).toMatchObject({ block: { number: 2 }, tokens: [words] })
  })
})
