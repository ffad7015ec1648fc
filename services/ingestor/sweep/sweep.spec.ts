import { describe, expect, it } from 'vitest'
import { type Address, hash, zeroAddress } from '../../../libs/chain/hex.ts'
import type { TokenMetadata } from '../../../libs/chain/token.ts'
import type { StateRequest } from '../../../libs/ports/chain-source.ts'
import { memoryEventLog } from '../../../libs/ports/testing/memory-event-log.ts'
import { memoryStateStore } from '../../../libs/ports/testing/memory-state-store.ts'
import { singleTopic } from '../../../libs/projections/ledger/transfers.ts'
import { startMetrics } from '../../../libs/signals/metrics.ts'
import { counted } from '../../../libs/signals/testing/counted.ts'
import { encodeMessage } from '../../../libs/topics/codec.ts'
import { chainInLog } from '../../../test/support/chain-in-log.ts'
import {
  alice,
  bob,
  coin,
  deposit,
  other,
  transfer,
} from '../../../test/support/observable-chain.ts'
import { type SourceOfValues, tokenAddress } from '../../../test/support/source-of-values.ts'
import { moves, olderChain, people } from '../testing/older-chain.ts'
import { startInMemory } from '../testing/start-in-memory.ts'

const idMoved = (token: Address, ends: readonly [Address, Address], id: number) => {
  const log = transfer(token, ends)
  const topics = [...log.topics, hash(`0x${`${id}`.padStart(64, '0')}`)]
  return { ...log, topics, data: '0x' as const }
}

/** Alice gets so many ids of a collection. */
const ids = (token: Address, count: number) =>
  Array.from({ length: count }, (_, at) => idMoved(token, [zeroAddress, alice], at))

/** Publishes a source to its end, block by block. @returns the values of each question */
async function swept(source: SourceOfValues, options: Partial<Publishing> = {}) {
  const { eventLog = memoryEventLog(), sweptPairsMax = 8, checkedPairsMax = 0, ...rest } = options
  const asked: StateRequest[] = []
  const { observe } = source
  source.observe = (question) => {
    asked.push(question)
    return observe.call(source, question)
  }
  const { sweepPeriodSeconds = 10_000, seenPairsPerBlockMax = 1_000, ...others } = rest
  const limits = {
    ...{ sampledCallsMax: 0, blocksAheadMax: 1, retryMinMs: 0 },
    ...{ sweptPairsMax, checkedPairsMax, sweepPeriodSeconds, seenPairsPerBlockMax },
  }
  const ingestor = await startInMemory({ source, eventLog, limits, fromBlock: 1, ...others })
  const outcome = await Promise.race([ingestor.done, ingestor.failed])
  const { progress } = ingestor.status().sweep
  await ingestor.stop()
  source.observe = observe
  const { accepted, skipped } = await chainInLog(eventLog)
  expect(skipped).toEqual([])
  const observed = accepted.flatMap((it) => (it.kind === 'state.observed' ? it.balances : []))
  return { asked, observed, outcome, progress }
}
interface Publishing
  extends Pick<Parameters<typeof startInMemory>[0], 'eventLog' | 'state' | 'metrics'> {
  readonly sweptPairsMax: number
  readonly checkedPairsMax: number
  readonly sweepPeriodSeconds: number
  readonly seenPairsPerBlockMax: number
}

/** Each of its contracts says that it is of that standard. */
function saying(source: SourceOfValues, standard: 'ERC-721' | 'ERC-1155'): SourceOfValues {
  const collectionOf = (said: TokenMetadata) => ({ ...said, standard, decimals: null })
  const { tokens } = source
  source.tokens = async (addresses, block) => {
    const result = await tokens.call(source, addresses, block)
    return { ...result, metadata: result.metadata.map(collectionOf) }
  }
  return source
}

const holdersIn = (observed: readonly { readonly holder: Address }[]) =>
  [...new Set(observed.map(({ holder }) => holder))].sort()

describe('a token that is older than the log', () => {
  it('is asked for all of its holders, so many after a block, each once', async () => {
    const source = olderChain()
    source.grow(1, [], moves(coin, people(30)))
    for (let left = 8; left > 0; left--) source.grow(1)
    const { asked, observed } = await swept(source)
    expect(asked.map(({ values }) => values.length)).toEqual([8, 8, 8, 6])
    expect(holdersIn(observed)).toEqual(people(30))
    expect(observed).toHaveLength(30)
  })

  it('is not asked for while a backlog is indexed, but for all of it once that is done', async () => {
    const source = olderChain()
    source.grow(1, [], moves(coin, people(30)))
    for (let left = 40; left > 0; left--) source.grow(1)
    const { asked, observed } = await swept(source)
    expect(Math.min(...asked.map(({ block }) => block))).toBe(41 - 16)
    expect(holdersIn(observed)).toEqual(people(30))
  })

  it('is asked for the balances of ids, where it has such', async () => {
    const source = olderChain()
    const word = (hex: string) => hex.slice(2).padStart(64, '0')
    const topic = (holder: Address) => `0x${word(holder)}` as const
    source.balances.set(`${coin}${alice}7`, 3n)
    const [log] = moves(coin, [alice])
    if (log === undefined) throw new Error('no log')
    const topics = [singleTopic, topic(bob), topic(alice), topic(alice)].map((it) => hash(it))
    source.grow(1, [], [{ ...log, topics, data: `0x${word('0x7')}${word('0x1')}` }])
    source.grow(1)
    source.grow(1)
    const { observed } = await swept(source)
    expect(observed).toEqual([{ token: coin, holder: alice, tokenId: 7n, value: 3n }])
  })

  it('has its turn although another one has very many holders', async () => {
    const source = olderChain([coin, other])
    source.grow(1, [], moves(coin, people(400)))
    source.grow(1, [], moves(other, [alice]))
    for (let left = 20; left > 0; left--) source.grow(1)
    const { asked } = await swept(source, { sweptPairsMax: 100 })
    const tokens = asked.map(({ values }) => new Set(values.map(({ token }) => token)))
    expect(tokens.findIndex((some) => some.has(other))).toBeLessThan(3)
    expect(asked.flatMap(({ values }) => values)).toHaveLength(401)
    expect(asked.length).toBeLessThanOrEqual(6)
  })

  it('leaves nothing to ask for in the end, however many holders several of them have', async () => {
    const sizes = [600, 1_100, 2_100, 3_200]
    const tokens = [coin, other, tokenAddress(9), tokenAddress(10)]
    const source = olderChain(tokens)
    for (const [at, token] of tokens.entries()) {
      const holders = people(sizes[at] ?? 0)
      for (const holder of holders) source.balances.set(token + holder, 5n)
      source.grow(1, [], moves(token, holders))
    }
    for (let left = 12; left > 0; left--) source.grow(1)
    const { asked, progress } = await swept(source, {
      ...{ sweptPairsMax: 2_000, seenPairsPerBlockMax: 5_000 },
    })
    expect(asked.flatMap(({ values }) => values)).toHaveLength(7_000)
    expect(progress).toBe(1)
  })

  it('is asked for again after a restart only for what is left', async () => {
    const [eventLog, state, source] = [memoryEventLog(), memoryStateStore(), olderChain()]
    source.grow(1, [], moves(coin, people(30)))
    for (let left = 2; left > 0; left--) source.grow(1)
    const { observed: first } = await swept(source, { eventLog, state })
    for (let left = 6; left > 0; left--) source.grow(1)
    const { observed } = await swept(source, { eventLog, state })
    expect(first.length).toBeGreaterThan(0)
    expect(holdersIn(observed)).toEqual(people(30))
    expect(observed).toHaveLength(30)
  })

  it('is asked for holders that somebody names, once, also after a restart', async () => {
    const [eventLog, state, source] = [memoryEventLog(), memoryStateStore(), olderChain()]
    source.grow(1, [], moves(coin, people(2)))
    for (let left = 8; left > 0; left--) source.grow(1)
    const names = people(30).map((holder) => ({ token: coin, holder, tokenId: null }))
    const messages = names.map((name) => ({ key: name.holder, value: encodeMessage(name) }))
    await eventLog.append('holders', messages)
    const { observed: first } = await swept(source, { eventLog, state })
    expect(holdersIn(first)).toEqual(people(30))
    source.grow(1)
    const { asked, observed } = await swept(source, { eventLog, state })
    expect([asked, observed.length]).toEqual([[], 30])
  })

  it('with ids is asked for no holder who is named without one', async () => {
    const [eventLog, state] = [memoryEventLog(), memoryStateStore()]
    const source = saying(olderChain(), 'ERC-1155')
    source.grow(1, [], moves(coin, [bob]))
    const name = { token: coin, holder: alice, tokenId: null }
    await eventLog.append('holders', [{ key: 'a', value: encodeMessage(name) }])
    for (let left = 6; left > 0; left--) source.grow(1)
    const { asked } = await swept(source, { eventLog, state })
    const holders = asked.flatMap(({ values }) => values.map(({ holder }) => holder))
    expect(holders).not.toContain(alice)
  })

  it('that the log has not shown waits until it does', async () => {
    const [eventLog, state, source] = [memoryEventLog(), memoryStateStore(), olderChain()]
    const name = { token: coin, holder: alice, tokenId: null }
    await eventLog.append('holders', [{ key: 'a', value: encodeMessage(name) }])
    for (let left = 4; left > 0; left--) source.grow(1)
    expect((await swept(source, { eventLog, state })).asked).toEqual([])
    source.grow(1, [], moves(coin, [bob]))
    for (let left = 3; left > 0; left--) source.grow(1)
    const { observed } = await swept(source, { eventLog, state })
    expect(holdersIn(observed)).toEqual([alice, bob].sort())
  })

  it('that refuses one holder tells the others, and is not asked for that one again and again', async () => {
    const source = olderChain()
    source.balances.delete(coin + people(1)[0])
    source.grow(1, [], moves(coin, people(20)))
    for (let left = 15; left > 0; left--) source.grow(1)
    const { asked, observed } = await swept(source)
    expect(holdersIn(observed)).toEqual(people(20).slice(1))
    expect(asked.flatMap(({ values }) => values)).toHaveLength(20)
  })

  it('that answers nothing is left alone for longer and longer', async () => {
    const source = olderChain()
    source.balances.clear()
    source.grow(1, [], moves(coin, people(30)))
    for (let left = 15; left > 0; left--) source.grow(1)
    const metrics = startMetrics()
    const { asked } = await swept(source, { metrics })
    expect(asked).toHaveLength(1)
    expect(await counted(metrics.sweptPairs)).toEqual([
      { labels: { outcome: 'rejected' }, value: 8 },
    ])
  })
})

it('asks for no balance of a token whose history the log holds', async () => {
  const source = olderChain([])
  source.grow(1, [], moves(coin, people(30)))
  for (let left = 8; left > 0; left--) source.grow(1)
  expect((await swept(source)).asked).toEqual([])
})

it('checks some pairs of any token in turn, where unknown ones leave room', async () => {
  const source = olderChain([])
  // Tokens that stand before it: ids whose owners the log tells, and a contract that says nothing.
  const before = [...ids(tokenAddress(1), 20), ...moves(tokenAddress(2), people(20))]
  source.grow(1, [], [...before, ...moves(coin, people(20))])
  for (let left = 15; left > 0; left--) source.grow(1)
  for (const holder of people(20)) source.balances.set(coin + holder, 5n)
  const { asked } = await swept(source, { checkedPairsMax: 2 })
  expect(asked.every(({ values }) => values.length <= 2)).toBe(true)
  const values = asked.flatMap((question) => question.values)
  const ofCoin = values.flatMap(({ token, holder }) => (token === coin ? (holder ?? []) : []))
  expect(ofCoin.slice(0, 20)).toEqual(people(20))
  expect(values.filter(({ token }) => token === tokenAddress(2))).toHaveLength(2)
})

it('asks for all balances of a token from when transfers do not explain it', async () => {
  const source = olderChain([])
  for (const holder of people(30)) source.balances.set(coin + holder, 5n)
  source.grow(1, [], moves(coin, people(30)))
  source.grow(1, [], [deposit(coin, people(1)[0] ?? alice)])
  for (let left = 8; left > 0; left--) source.grow(1)
  expect(holdersIn((await swept(source)).observed)).toEqual(people(30))
})

it('asks again for all of them once a period is over', async () => {
  const source = olderChain([])
  source.grow(1, [], moves(coin, people(3)))
  source.grow(1, [], [deposit(coin, people(1)[0] ?? alice)])
  for (let left = 24; left > 0; left--) source.grow(1)
  for (const holder of people(3)) source.balances.set(coin + holder, 5n)
  const times = async (sweepPeriodSeconds: number) =>
    (await swept(source, { sweepPeriodSeconds })).observed.length / 3
  expect(await times(1_000)).toBe(1)
  expect(await times(10)).toBeGreaterThan(2)
})

it('goes on with the day that had begun before a restart', async () => {
  const [eventLog, state] = [memoryEventLog(), memoryStateStore()]
  const source = olderChain([])
  source.grow(1, [], moves(coin, people(10)))
  source.grow(1, [], [deposit(coin, people(1)[0] ?? alice)])
  for (let left = 24; left > 0; left--) source.grow(1)
  for (const holder of people(10)) source.balances.set(coin + holder, 5n)
  // A question a block, and days of 20 blocks: the second one has begun.
  const kept = { eventLog, state, sweepPeriodSeconds: 20, sweptPairsMax: 1 }
  const before = await swept(source, kept)
  source.grow(1)
  source.grow(1)
  const { asked } = await swept(source, kept)
  expect(before.asked.length).toBeGreaterThan(3)
  expect(asked.flatMap(({ values }) => values)).not.toEqual([])
})

it('checks other tokens however many pairs are to be asked for again', async () => {
  const source = olderChain([])
  source.grow(1, [], moves(coin, people(20)))
  source.grow(1, [], [deposit(coin, people(1)[0] ?? alice), ...moves(other, people(5))])
  for (let left = 60; left > 0; left--) source.grow(1)
  for (const holder of people(20)) source.balances.set(coin + holder, 5n)
  for (const holder of people(5)) source.balances.set(other + holder, 5n)
  const { asked } = await swept(source, { checkedPairsMax: 2, sweepPeriodSeconds: 10 })
  const values = asked.flatMap((question) => question.values)
  expect(new Set(values.filter(({ token }) => token === other)).size).toBeGreaterThanOrEqual(5)
})

it('takes no block for a contradiction that was too large to note', async () => {
  const token = tokenAddress(1)
  const source = saying(olderChain([]), 'ERC-721')
  source.grow(1, [], ids(token, 3))
  source.grow(1, [], [...moves(coin, people(60)), idMoved(token, [alice, bob], 1)])
  source.grow(1, [], [idMoved(token, [bob, alice], 1)])
  for (let left = 8; left > 0; left--) source.grow(1)
  const { asked } = await swept(source, { seenPairsPerBlockMax: 50 })
  expect(asked.flatMap(({ values }) => values.filter(({ holder }) => holder === null))).toEqual([])
})

describe.each([
  ['its owner', alice, 0],
  ['somebody else', bob, 3],
])('a collection of which %s sends an id', (_, sender, count) => {
  it(`is asked for ${count} owners`, async () => {
    const token = tokenAddress(1)
    const source = saying(olderChain([]), 'ERC-721')
    source.grow(1, [], ids(token, 3))
    source.grow(1, [], [idMoved(token, [sender, alice], 1)])
    for (let left = 8; left > 0; left--) source.grow(1)
    const { asked } = await swept(source)
    const owners = asked.flatMap(({ values }) => values.filter(({ holder }) => holder === null))
    expect(new Set(owners.map(({ tokenId }) => tokenId)).size).toBe(count)
  })
})
