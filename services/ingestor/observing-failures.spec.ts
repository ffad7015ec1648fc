import { describe, expect, it } from 'vitest'
import type { StateRequest, StateResult } from '../../libs/ports/chain-source.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import {
  alice,
  bob,
  coin,
  deposit,
  observableChain,
  observations,
  other,
} from '../../test/support/observable-chain.ts'
import { type SourceOfValues, tokenAddress } from '../../test/support/source-of-values.ts'

describe('a contract that does not answer', () => {
  /** Numbers of the blocks as of which it was asked, over many that touch it. */
  async function askedOf(
    answer: (source: SourceOfValues, question: StateRequest) => Promise<StateResult | null>,
    count: number,
  ) {
    const source = observableChain()
    for (let each = 0; each < count; each++) source.grow(1, [], [deposit(other, bob)])
    const asked: number[] = []
    const { observe } = source
    const own: SourceOfValues = Object.assign(Object.create(source), { observe })
    source.observe = async (question) => {
      asked.push(question.block)
      return answer(own, question)
    }
    const limits = { blocksAheadMax: 1 }
    const said = await observations({ source, eventLog: memoryEventLog(), limits })
    return { asked, observed: said.filter((it) => it !== 'block.applied') }
  }
  const nothingTold = ({ block, hash }: StateRequest) => ({
    block,
    hash,
    balances: [],
    supplies: [],
    owners: [],
    tokens: [],
  })

  it('that is no token is queried again with growing pauses, though no balance is pending', async () => {
    const { asked } = await askedOf(
      async (_, question) => ({
        observation: nothingTold(question),
        unanswered: [],
        failed: [],
      }),
      300,
    )
    expect(asked).toEqual([0, 16, 48, 112, 240])
  })

  it('that fails is queried again with growing pauses, and responds in the end', async () => {
    const { asked, observed } = await askedOf(async (source, question) => {
      if (question.block >= 30) return source.observe(question)
      const unanswered = question.values.filter(({ holder }) => holder !== null)
      return { observation: nothingTold(question), unanswered, failed: [other] }
    }, 64)
    expect(asked.slice(0, 7)).toEqual([0, 2, 6, 14, 30, 31, 32])
    expect(observed[0]).toBe('30: 8 b 1')
  })

  it('rejects one balance, which is no longer pending', async () => {
    const source = observableChain()
    source.balances.delete(coin + alice)
    source.grow(1, [], [deposit(coin, alice), deposit(coin, bob)])
    for (let each = 0; each < 5; each++) source.grow(1)
    const asked: number[] = []
    const { observe } = source
    source.observe = async (question) => {
      asked.push(question.values.filter(({ holder }) => holder !== null).length)
      return observe.call(source, question)
    }
    await observations({ source, eventLog: memoryEventLog(), limits: { blocksAheadMax: 1 } })
    expect(asked).toEqual([2, 1])
  })

  it('answers in part, and the rest is asked for with the next block', async () => {
    const source = observableChain()
    source.grow(1, [], [deposit(coin, alice), deposit(coin, bob)])
    source.grow(1)
    const { observe } = source
    source.observe = async (question) => {
      const answer = await observe.call(source, question)
      if (question.block > 0 || !answer) return answer
      const balances = answer.observation.balances.filter(({ holder }) => holder !== alice)
      const unanswered = [{ token: coin, holder: alice, tokenId: null }]
      return { observation: { ...answer.observation, balances }, unanswered, failed: [] }
    }
    expect(
      await observations({ source, eventLog: memoryEventLog(), limits: { blocksAheadMax: 1 } }),
    ).toEqual(['block.applied', '0: 7 b 1', 'block.applied', '1: 7 a 0'])
  })

  it('before it ever answered is asked for a few balances, and then for all', async () => {
    const source = observableChain()
    const holders = Array.from({ length: 20 }, (_, at) => tokenAddress(0x100 + at))
    for (const holder of holders) source.balances.set(coin + holder, 5n)
    const deposits = holders.map((holder) => deposit(coin, holder))
    source.grow(1, [], deposits)
    source.grow(1, [], deposits)
    const asked: number[] = []
    const { observe } = source
    source.observe = async (question) => {
      asked.push(question.values.filter(({ holder }) => holder !== null).length)
      return observe.call(source, question)
    }
    await observations({ source, eventLog: memoryEventLog(), limits: { blocksAheadMax: 1 } })
    expect(asked).toEqual([8, 20])
  })
})
