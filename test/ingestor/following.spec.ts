import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { lmdbEventLog } from '../../libs/adapters/lmdb/lmdb-event-log.ts'
import { lmdbStateStore } from '../../libs/adapters/lmdb/lmdb-state-store.ts'
import { rpcSource } from '../../libs/adapters/rpc/rpc-source.ts'
import type { ChainSource } from '../../libs/ports/chain-source.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import { startIngestor } from '../../services/ingestor/ingestor.ts'
import type { Ingestor } from '../../services/ingestor/running-ingestor.ts'
import { chainInLog } from '../support/chain-in-log.ts'
import { until } from '../support/until.ts'
import { AnvilChain } from './anvil-chain.ts'

const depths = [1, 3, 12, 64]
const limits = { pollIntervalMs: 20, retryMinMs: 5 }

/** Nothing skipped by any reader, and block for block what the node holds now. */
async function expectSameChain(eventLog: EventLog, chain: AnvilChain) {
  const { skipped, standing } = await chainInLog(eventLog)
  expect(skipped).toEqual([])
  const head = await chain.head()
  expect(standing.size).toBe(head + 1)
  for (const [number, hash] of standing) expect(hash).toBe(await chain.hash(number))
}

describe.each(['http', 'ws'] as const)('an ingestor of a living chain over %s', (scheme) => {
  let chain: AnvilChain
  let source: ChainSource
  let ingestor: Ingestor
  let folder: string
  let eventLog: EventLog
  let state: StateStore

  const start = async () => {
    eventLog = lmdbEventLog({ folder })
    state = lmdbStateStore({ folder })
    source = await rpcSource({ url: scheme === 'ws' ? chain.wsUrl : chain.url, limits })
    ingestor = await startIngestor({ source, eventLog, state, limits: { saveIntervalMessages: 5 } })
  }
  const stop = async () => {
    await ingestor.stop()
    await source.close()
    await Promise.all([eventLog.close(), state.close()])
  }
  const caughtUp = async () => {
    const head = await chain.head()
    const hash = await chain.hash(head)
    let end = -1
    await until('the head is published', async () => {
      const before = end
      end = await eventLog.end('blocks')
      return end !== before && (await chainInLog(eventLog)).head?.hash === hash
    })
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldscan-following-'))
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
    await rm(folder, { recursive: true, force: true })
  })
  afterEach(() => expectSameChain(eventLog, chain))

  it('publishes what lies behind, then each new block', async () => {
    await caughtUp()
    await chain.mine(3)
    await caughtUp()
  })

  it.each(depths)('follows a fork of depth %i that ends as high as our chain', async (depth) => {
    await chain.ask('anvil_reorg', [depth, []])
    await caughtUp()
    const { accepted } = await chainInLog(eventLog)
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
    const end = await eventLog.end('blocks')
    await stop()
    await chain.mine(2)
    await start()
    await caughtUp()
    expect(await eventLog.end('blocks')).toBe(end + 2)
  })
})
