import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rpcSource } from '../../libs/adapters/rpc/rpc-source.ts'
import type { ChainSource } from '../../libs/ports/chain-source.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { tokenState } from '../../libs/tables/tables/tokens.ts'
import { startInMemory } from '../../services/ingestor/testing/start-in-memory.ts'
import { chainInLog } from '../support/chain-in-log.ts'
import { stateRowsOf } from '../support/state-rows-of.ts'
import { until } from '../support/until.ts'
import { AnvilChain } from './anvil-chain.ts'
import { poorerNode, withoutStatesBelow } from './poorer-node.ts'

describe('a node without the states of old blocks', () => {
  let chain: AnvilChain
  let node: Awaited<ReturnType<typeof poorerNode>>
  let source: ChainSource
  let token: string
  let holder: string
  const eventLog = memoryEventLog()
  const mint = (amount: bigint) => chain.call('DemoToken', token, ['mint', holder, amount])

  beforeAll(async () => {
    chain = await AnvilChain.start()
    holder = (await chain.accounts())[0] ?? ''
    token = await chain.deploy('DemoToken', ['Demo Dollar', 'DUSD', 6])
    await mint(100n)
    await chain.mine(100)
    node = await poorerNode(chain.url, withoutStatesBelow(20))
    source = await rpcSource({ url: node.url })
  })
  afterAll(async () => {
    await source.close()
    node.close()
    await chain.stop()
  })

  /** Supplies that the log and the fold show, once all is published. */
  async function supplies() {
    const ingestor = await startInMemory({ source, eventLog })
    const hash = await chain.hash(await chain.head())
    await until('all is published', async () => (await chainInLog(eventLog)).head?.hash === hash)
    await ingestor.stop()
    const { accepted } = await chainInLog(eventLog)
    const attached = accepted.flatMap((it) =>
      it.kind === 'block.applied'
        ? it.tokens.map((metadata) => ({ at: it.block.number, ...metadata }))
        : [],
    )
    const [row] = stateRowsOf(accepted)(tokenState.name)
    return { attached, folded: row && 'totalSupply' in row ? row.totalSupply : null }
  }
  const supplyOfChain = async () =>
    BigInt(String(await chain.ask('eth_call', [{ to: token, data: '0x18160ddd' }, 'latest'])))

  it('keeps no supply of an orphan in the message of an old block', async () => {
    await mint(1_000n)
    const { attached, folded } = await supplies()
    const final = (await chain.head()) - 64
    expect(attached[0]).toMatchObject({ at: 2, name: 'Demo Dollar', totalSupply: 100n })
    expect(attached[0]?.block).toBe(final)
    expect(folded).toBe(1_100n)
    await chain.ask('anvil_rollback', [10])
    await mint(7n)
    await chain.mine(20)
    expect(await supplyOfChain()).toBe(107n)
    expect((await supplies()).folded).toBe(107n)
  })
})
