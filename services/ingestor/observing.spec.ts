import { expect, it } from 'vitest'
import { hash, zeroAddress } from '../../libs/chain/hex.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { memoryStateStore } from '../../libs/ports/testing/memory-state-store.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { counted } from '../../libs/signals/testing/counted.ts'
import {
  alice,
  bob,
  coin,
  deposit,
  observableChain,
  observations,
  other,
  transfer,
} from '../../test/support/observable-chain.ts'
import { tokenAddress } from '../../test/support/source-of-values.ts'

it('queries the accounts of a block, once the token has logged a deposit', async () => {
  const source = observableChain()
  source.grow(1, [], [transfer(coin, [alice, bob])])
  source.grow(1, [], [transfer(coin, [bob, bob]), deposit(coin, alice)])
  source.grow(1, [], [transfer(other, [alice, bob])])
  source.grow(1, [], [transfer(coin, [zeroAddress, bob])])
  expect(await observations({ source, eventLog: memoryEventLog() })).toEqual([
    'block.applied',
    'block.applied',
    '1: 7 a 0, 7 b 1',
    'block.applied',
    'block.applied',
    '3: 7 b 1',
  ])
})

it('remembers over a restart which tokens deviate', async () => {
  const [eventLog, state, source] = [memoryEventLog(), memoryStateStore(), observableChain()]
  source.grow(1, [], [deposit(coin, alice)])
  await observations({ source, eventLog, state })
  source.grow(1, [], [transfer(coin, [alice, bob])])
  expect((await observations({ source, eventLog, state })).slice(2)).toEqual([
    'block.applied',
    '1: 7 a 0, 7 b 1',
  ])
})

it('continues without an observation if the source has no state', async () => {
  const source = observableChain()
  source.grow(1, [], [deposit(coin, alice)])
  source.observe = async () => null
  expect(await observations({ source, eventLog: memoryEventLog() })).toEqual(['block.applied'])
})

it('asks nothing of a source without a state', async () => {
  const source = observableChain()
  source.hasState = false
  source.grow(1, [], [deposit(coin, alice)])
  expect(await observations({ source, eventLog: memoryEventLog() })).toEqual(['block.applied'])
})

it('asks as of the very block, by its hash', async () => {
  const source = observableChain()
  source.grow(1, [], [deposit(coin, alice)])
  const asked: unknown[] = []
  source.observe = async ({ block, hash, values }) => {
    asked.push([block, hash, values.flatMap(({ token, holder }) => (holder ? [] : token))])
    return null
  }
  await observations({ source, eventLog: memoryEventLog() })
  expect(asked).toEqual([[0, source.blocks.get(0)?.hash, [coin]]])
})

it('halts rather than publish an observation of another block', async () => {
  const source = observableChain()
  source.grow(1, [], [deposit(coin, alice)])
  const foreign = hash(`0x${'12'.repeat(32)}`)
  const balances = [{ token: coin, holder: alice, tokenId: null, value: 1n }]
  const observed = { balances, supplies: [], owners: [], tokens: [] }
  source.observe = async ({ block }) => ({
    observation: { block, hash: foreign, ...observed },
    unanswered: [],
    failed: [],
  })
  await expect(observations({ source, eventLog: memoryEventLog() })).rejects.toThrow(
    'would publish',
  )
})

it('publishes no empty observation', async () => {
  const source = observableChain()
  source.balances.clear()
  source.grow(1, [], [deposit(coin, alice)])
  expect(await observations({ source, eventLog: memoryEventLog() })).toEqual(['block.applied'])
})

it('puts off what is above the bound, first what transfers explain, and counts it', async () => {
  const source = observableChain()
  source.grow(1, [], [transfer(coin, [bob, bob]), deposit(coin, alice)])
  source.grow(1)
  const metrics = startMetrics()
  const limits = { observedBalancesMax: 1, blocksAheadMax: 1 }
  expect(await observations({ source, eventLog: memoryEventLog(), metrics, limits })).toEqual([
    'block.applied',
    '0: 7 a 0',
    'block.applied',
    '1: 7 b 1',
  ])
  expect(await counted(metrics.questionsDeferred)).toEqual([
    { labels: { kind: 'balance', reason: 'bound' }, value: 2 },
  ])
})

it('asks all tokens in turn, so that none takes the place of another', async () => {
  const source = observableChain()
  const many = Array.from({ length: 5 }, (_, at) => deposit(other, tokenAddress(0x100 + at)))
  source.grow(1, [], [...many, deposit(coin, alice), deposit(coin, bob)])
  const limits = { observedBalancesMax: 4 }
  const [, observed] = await observations({ source, eventLog: memoryEventLog(), limits })
  expect(observed).toBe('0: 7 a 0, 7 b 1')
})
