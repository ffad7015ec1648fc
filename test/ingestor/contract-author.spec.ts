import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rpcSource } from '../../libs/adapters/rpc/rpc-source.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { counted } from '../../libs/signals/testing/counted.ts'
import { upToHead } from '../../services/ingestor/repair.ts'
import { startInMemory } from '../../services/ingestor/testing/start-in-memory.ts'
import { chainInLog } from '../support/chain-in-log.ts'
import { compiled } from '../support/compiled.ts'
import { AnvilChain } from './anvil-chain.ts'

const manners = { reverts: 0, burnsGas: 1, returnsMuch: 2, revertsWithMuch: 3, fails: 4, lies: 5 }
const texts = [
  'too many requests',
  'rate limit exceeded, throttled',
  'missing trie node 12ab',
  'header not found',
  'invalid argument 1: blockhash',
  'the method eth_call does not exist',
  'required historical state unavailable, pruned',
]

describe('an ingestor of a chain on which somebody hostile deploys', () => {
  let chain: AnvilChain
  let honest: string
  let coin: string
  const hostile: string[] = []

  beforeAll(async () => {
    chain = await AnvilChain.start()
    const [holder = ''] = await chain.accounts()
    const contract = compiled(new URL('hostile.sol', import.meta.url), 'Hostile')
    const made = [
      ...texts.map((text) => [manners.reverts, text] as const),
      ...Object.values(manners).map((manner) => [manner, ''] as const),
    ]
    for (const args of made) hostile.push(await chain.create(contract.creation(args)))
    honest = await chain.deploy('DemoToken', ['Demo Dollar', 'DUSD', 6])
    coin = await chain.deploy('WrappedCoin')
    // All of it in one block, twice.
    for (let times = 0; times < 2; times++) {
      await chain.together(async () => {
        for (const to of hostile) await chain.sendRaw({ to, data: contract.call('act', [holder]) })
        await chain.sendCall('DemoToken', { to: honest }, ['mint', holder, 5n])
        await chain.sendCall('WrappedCoin', { to: coin, value: 7n }, ['deposit'])
      })
    }
  })
  afterAll(() => chain.stop())

  it.each([
    ['http', 500_000],
    ['ws', 500_000],
    // As much as the node grants: gas is burned for seconds, and megabytes come back.
    ['http', 30_000_000],
    ['ws', 30_000_000],
  ] as const)('publishes every block over %s with %i gas a call', async (scheme, callGas) => {
    const url = scheme === 'ws' ? chain.wsUrl : chain.url
    const metrics = startMetrics()
    const limits = { callGas, retryMinMs: 5, retryMaxMs: 20, callTimeoutMs: 1_000 }
    const node = await rpcSource({ url, log: silentLog, metrics, limits })
    const eventLog = memoryEventLog()
    const ingestor = await startInMemory({ source: await upToHead(node), eventLog, metrics })
    await Promise.race([ingestor.done, ingestor.failed.then((error) => Promise.reject(error))])
    await ingestor.stop()
    await node.close()
    const { accepted, skipped, standing } = await chainInLog(eventLog)
    expect(skipped).toEqual([])
    expect(standing.size).toBe((await chain.head()) + 1)
    if (callGas > 500_000) {
      expect(await counted(metrics.nodeUnanswered)).not.toEqual([])
      return
    }
    const named = accepted.flatMap((it) => (it.kind === 'block.applied' ? it.tokens : []))
    const dollar = { address: honest, name: 'Demo Dollar', totalSupply: 5n }
    expect(named).toContainEqual(expect.objectContaining(dollar))
    const observed = accepted.flatMap((it) => (it.kind === 'state.observed' ? it.balances : []))
    expect(observed).toContainEqual(expect.objectContaining({ token: coin, value: 14n }))
  })
})
