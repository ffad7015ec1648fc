import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rpcSource } from '../../libs/adapters/rpc/rpc-source.ts'
import { type Address, address } from '../../libs/chain/hex.ts'
import type { ChainSource } from '../../libs/ports/chain-source.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { addressState } from '../../libs/tables/tables/addresses.ts'
import { holders } from '../../libs/tables/tables/holders.ts'
import { tokenState } from '../../libs/tables/tables/tokens.ts'
import { startInMemory } from '../../services/ingestor/testing/start-in-memory.ts'
import { chainInLog } from '../support/chain-in-log.ts'
import { stateRowsOf } from '../support/state-rows-of.ts'
import { until } from '../support/until.ts'
import { AnvilChain } from './anvil-chain.ts'

const ether = 10n ** 18n

describe('a wrapped coin, with a node to ask', () => {
  let chain: AnvilChain
  let source: ChainSource
  let coin: string
  let people: readonly string[]
  const eventLog = memoryEventLog()

  beforeAll(async () => {
    chain = await AnvilChain.start()
    people = await chain.accounts()
    coin = await chain.deploy('WrappedCoin')
    source = await rpcSource({ url: chain.url })
  })
  afterAll(async () => {
    await source.close()
    await chain.stop()
  })

  const deposit = (from: string, value: bigint) =>
    chain.send('WrappedCoin', { to: coin, from, value }, ['deposit'])
  const call = (from: string, ...method: [string, ...unknown[]]) =>
    chain.send('WrappedCoin', { to: coin, from }, method)

  /** What the fold of the log shows of the token. */
  async function folded() {
    const ingestor = await startInMemory({ source, eventLog })
    const hash = await chain.hash(await chain.head())
    await until('all is published', async () => (await chainInLog(eventLog)).head?.hash === hash)
    await ingestor.stop()
    const { accepted } = await chainInLog(eventLog)
    return { rows: stateRowsOf(accepted), accepted }
  }

  async function expectTheChainsOwnNumbers() {
    const { rows, accepted } = await folded()
    const shown = rows(holders.name).map((row) => Object.values(row).join())
    for (const person of people) {
      const value = await balanceOf(address(person))
      const found = rows(holders.name).filter((row) => 'holder' in row && row.holder === person)
      expect(found, person).toMatchObject(value > 0n ? [{ value }] : [])
    }
    const held = await Promise.all(people.map((person) => balanceOf(address(person))))
    expect(shown).toHaveLength(held.filter((value) => value > 0n).length)
    const totalSupply = BigInt(await ask('0x18160ddd'))
    expect(rows(tokenState.name)).toMatchObject([{ totalSupply }])
    return { rows, accepted }
  }

  const ask = async (data: string) =>
    String(await chain.ask('eth_call', [{ to: coin, data }, 'latest']))
  const balanceOf = async (holder: Address) =>
    BigInt(await ask(`0x70a08231${holder.slice(2).padStart(64, '0')}`))

  it('has the chain’s own balances, holders and supply', async () => {
    const [one = '', two = '', three = '', four = ''] = people
    await deposit(one, 5n * ether)
    await call(one, 'transfer', two, ether)
    await deposit(three, 2n * ether)
    await call(two, 'withdraw', ether / 4n)
    await call(three, 'transfer', four, 2n * ether)
    await call(one, 'withdraw', 4n * ether)
    const { rows } = await expectTheChainsOwnNumbers()
    expect(rows(holders.name)).toHaveLength(2)
    expect(rows(addressState.name)).toMatchObject([{ address: coin, isContract: true }])
  })

  it('still has them after a reorganisation', async () => {
    const [one = '', two = '', three = ''] = people
    await deposit(three, 7n)
    await call(one, 'transfer', two, 0n)
    await folded()
    await chain.ask('anvil_reorg', [2, []])
    await deposit(two, 9n)
    const { accepted } = await expectTheChainsOwnNumbers()
    expect(accepted.map(({ kind }) => kind)).toContain('block.reverted')
  })
})
