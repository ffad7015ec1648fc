import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { memoryEventLog } from '../../libs/adapters/memory/memory-event-log.ts'
import { memoryStateStore } from '../../libs/adapters/memory/memory-state-store.ts'
import { rpcSource } from '../../libs/adapters/rpc/rpc-source.ts'
import type { ChainSource } from '../../libs/ports/node.ts'
import { type Ingestor, startIngestor } from '../../services/ingestor/ingestor.ts'
import { chainInLog } from '../support/chain-in-log.ts'
import { until } from '../support/until.ts'
import { AnvilChain } from './anvil-chain.ts'

const depths = [1, 3, 12, 64]
const limits = { pollIntervalMs: 20, retryMinMs: 5 }

/** Nothing skipped by any reader, and block for block what the node holds now. */
async function expectSameChain(log: ReturnType<typeof memoryEventLog>, chain: AnvilChain) {
  const { skipped, standing } = await chainInLog(log)
  expect(skipped).toEqual([])
  const head = await chain.head()
  expect(standing.size).toBe(head + 1)
  for (const [number, hash] of standing) expect(hash).toBe(await chain.hash(number))
}

describe.each(['http', 'ws'] as const)('an ingestor of a living chain over %s', (scheme) => {
  let chain: AnvilChain
  let source: ChainSource
  let ingestor: Ingestor
  const log = memoryEventLog()
  const state = memoryStateStore()

  const start = async () => {
    source = await rpcSource({ url: scheme === 'ws' ? chain.wsUrl : chain.url, limits })
    ingestor = await startIngestor({ source, log, state, limits: { saveIntervalMessages: 5 } })
  }
  const stop = async () => {
    await ingestor.stop()
    await source.close()
  }
  const caughtUp = async () => {
    const head = await chain.head()
    const hash = await chain.hash(head)
    await until('the head is published', async () => (await chainInLog(log)).head?.hash === hash)
  }

  beforeAll(async () => {
    chain = await AnvilChain.start()
    for (let block = 0; block < 70; block++) {
      await chain.pay(block + 1)
      await chain.mine()
    }
    await start()
  })
  afterAll(async () => {
    await stop()
    await chain.stop()
  })
  afterEach(() => expectSameChain(log, chain))

  it('publishes what lies behind, then each new block', async () => {
    await caughtUp()
    await chain.mine(3)
    await caughtUp()
  })

  it.each(depths)('follows a fork of depth %i that ends as high as our chain', async (depth) => {
    await chain.ask('anvil_reorg', [depth, []])
    await caughtUp()
    const { accepted } = await chainInLog(log)
    const reverted = accepted.slice(-2 * depth, -depth).map(({ kind }) => kind)
    expect(reverted).toEqual(Array.from({ length: depth }, () => 'block.reverted'))
  })

  it.each(depths)('follows a fork of depth %i that comes back longer', async (depth) => {
    const snapshot = await chain.ask('evm_snapshot')
    await chain.mine(depth)
    await caughtUp()
    await chain.ask('evm_revert', [snapshot])
    await chain.pay(10_000 + depth)
    await chain.mine(depth + 1)
    await caughtUp()
  })

  it('undoes at its start the fork that happened while it was away', async () => {
    const snapshot = await chain.ask('evm_snapshot')
    await chain.mine(5)
    await caughtUp()
    await stop()
    await chain.ask('evm_revert', [snapshot])
    await chain.pay(99_999)
    await chain.mine(5)
    await start()
    await caughtUp()
  })

  it('goes on where it stopped, and publishes nothing twice', async () => {
    await stop()
    const end = await log.end('blocks')
    await chain.mine(2)
    await start()
    await caughtUp()
    expect(await log.end('blocks')).toBe(end + 2)
  })
})
