import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { headerHash } from '../../libs/adapters/rpc/blocks/check-block.ts'
import { rpcSource } from '../../libs/adapters/rpc/rpc-source.ts'
import type { Block } from '../../libs/chain/block.ts'
import { address } from '../../libs/chain/hex.ts'
import type { ChainSource } from '../../libs/ports/chain-source.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { startInMemory } from '../../services/ingestor/testing/start-in-memory.ts'
import { chainInLog } from '../support/chain-in-log.ts'
import { until } from '../support/until.ts'
import { AnvilChain } from './anvil-chain.ts'
import { poorerNode, withoutMethod } from './poorer-node.ts'

describe('what is asked of a node besides blocks', () => {
  let chain: AnvilChain
  let source: ChainSource
  const contracts: Record<string, string> = {}

  beforeAll(async () => {
    chain = await AnvilChain.start()
    const [holder] = await chain.accounts()
    contracts.token = await chain.deploy('DemoToken', ['Demo Dollar', 'DUSD', 6])
    contracts.oldToken = await chain.deploy('OldToken')
    contracts.collection = await chain.deploy('Collection', ['Cards', 'CRD'])
    contracts.items = await chain.deploy('Items')
    contracts.hybrid = await chain.deploy('Hybrid')
    contracts.workshop = await chain.deploy('Workshop')
    await chain.call('DemoToken', contracts.token, ['mint', holder, 5_000n])
    await chain.call('OldToken', contracts.oldToken, ['mint', holder, 7n])
    await chain.call('Collection', contracts.collection, ['mint', holder, 5n])
    await chain.call('Items', contracts.items, ['mint', holder, 1n, 2n])
    await chain.call('Hybrid', contracts.hybrid, ['mint', holder, 1n])
    await chain.call('DemoToken', contracts.token, ['burn', 10n ** 30n])
    source = await rpcSource({ url: chain.url })
  })
  afterAll(async () => {
    await source.close()
    await chain.stop()
  })

  it('proves the blocks of this node by their own hash', async () => {
    const header = await chain.ask('eth_getBlockByNumber', ['0x1', false])
    expect(headerHash(header)).toMatchObject({ known: true, hash: await chain.hash(1) })
  })

  it('returns of each token what its contract returns, bytes32 names among them', async () => {
    const addresses = Object.values(contracts).map((text) => address(text))
    const { metadata } = await source.tokens(addresses, await chain.head())
    const of = (name: string) => metadata.find((each) => each.address === contracts[name])
    expect(of('token')).toMatchObject({
      standard: null,
      name: 'Demo Dollar',
      symbol: 'DUSD',
      decimals: 6,
      totalSupply: 5_000n,
    })
    expect(of('oldToken')?.name).toMatch(/\w/)
    expect(of('collection')).toMatchObject({ standard: 'ERC-721', symbol: 'CRD' })
    expect(of('items')).toMatchObject({ standard: 'ERC-1155', totalSupply: null })
    expect(of('hybrid')).toMatchObject({ standard: 'ERC-404' })
    expect(of('workshop')).toBeUndefined()
  })

  it('attaches it to the block in which the token appears', async () => {
    const eventLog = memoryEventLog()
    const ingestor = await startInMemory({ source, eventLog })
    const head = await chain.head()
    await until('all is published', () => ingestor.status().block === head)
    await ingestor.stop()
    const { accepted } = await chainInLog(eventLog)
    const attached = accepted.flatMap((message) =>
      message.kind === 'block.applied' ? message.tokens : [],
    )
    const names = ['token', 'oldToken', 'collection', 'items', 'hybrid'] as const
    expect(attached.map((metadata) => metadata.address)).toEqual(names.map((it) => contracts[it]))
  })

  it('knows why a transaction failed', async () => {
    const block = await source.block(await chain.head())
    const [transaction] = block?.transactions ?? []
    expect(transaction).toMatchObject({ status: 0, error: 'execution reverted' })
    expect(transaction?.revertReason).toMatch(/^0xe450d38c/)
  })
})

describe('a node without eth_getBlockReceipts', () => {
  it('gives the same blocks, receipt by receipt', async () => {
    const chain = await AnvilChain.start()
    for (let each = 0; each < 100; each++) await chain.pay(each)
    await chain.mine()
    const blockOf = async (url: string): Promise<Block | null> => {
      const source = await rpcSource({ url })
      const block = await source.block(1)
      await source.close()
      return block
    }
    const whole = await blockOf(chain.url)
    const poorer = await poorerNode(chain.url, withoutMethod('eth_getBlockReceipts'))
    expect(await blockOf(poorer.url)).toEqual(whole)
    expect(whole?.transactions).toHaveLength(100)
    poorer.close()
    await chain.stop()
  })
})
