import { toEventSelector } from 'viem'
import { describe, expect, it } from 'vitest'
import { hash } from '../../../libs/chain/hex.ts'
import { SourceError, type StateRequest } from '../../../libs/ports/chain-source.ts'
import { memoryEventLog } from '../../../libs/ports/testing/memory-event-log.ts'
import { chainInLog } from '../../../test/support/chain-in-log.ts'
import { alice, coin, transfer } from '../../../test/support/observable-chain.ts'
import type { SourceOfValues } from '../../../test/support/source-of-values.ts'
import { until } from '../../../test/support/until.ts'
import { moves, olderChain, people } from '../testing/older-chain.ts'
import { startInMemory } from '../testing/start-in-memory.ts'

const rebaseTopic = toEventSelector('LogRebase(uint256,uint256)')

/** 5 for each holder. */
function answerOf({ block, hash, values }: StateRequest) {
  const balances = values.flatMap(({ token, holder, tokenId }) =>
    holder === null ? [] : { token, holder, tokenId, value: 5n },
  )
  const observation = { block, hash, balances, supplies: [], owners: [], tokens: [] }
  return { observation, unanswered: [], failed: [] }
}

describe('a question of the sweep', () => {
  /** Tells the answers that wait. */
  const told: (() => void)[] = []

  /** An ingestor that follows a chain of two coins, whose questions a test answers. */
  async function following(observe: SourceOfValues['observe']) {
    const source = olderChain()
    source.endsAtHead = false
    const answer = source.observe.bind(source)
    source.observe = observe
    source.grow(1, [], moves(coin, people(30)))
    const eventLog = memoryEventLog()
    const limits = { sampledCallsMax: 0, retryMinMs: 0, sweptPairsMax: 8, checkedPairsMax: 0 }
    const ingestor = await startInMemory({ source, eventLog, limits, fromBlock: 1 })
    const head = async () => {
      const newest = await source.head()
      await until('all is published', () => ingestor.status().block === newest)
    }
    await head()
    return { source, ingestor, eventLog, head, answer }
  }

  it('that nobody answers holds up no block', async () => {
    const { source, ingestor, head } = await following(() => new Promise(() => {}))
    for (let left = 5; left > 0; left--) source.grow(1)
    await head()
    await ingestor.stop()
  })

  it('about a block that a fork has left since is of no use, and is asked again', async () => {
    const asked: StateRequest[] = []
    const { source, ingestor, eventLog, head } = await following((question) => {
      asked.push(question)
      return new Promise((resolve) => told.push(() => resolve(answerOf(question))))
    })
    source.fork(1, 2, 2)
    await head()
    for (const tell of told.splice(0)) tell()
    source.grow(2)
    await head()
    for (const tell of told.splice(0)) tell()
    source.grow(2)
    await head()
    await ingestor.stop()
    const { accepted, skipped } = await chainInLog(eventLog)
    expect(skipped).toEqual([])
    const observed = accepted.filter((it) => it.kind === 'state.observed')
    expect(observed.map(({ hash }) => hash)).toEqual([asked[1]?.hash])
  })

  it('answered after all balances have changed is of no use', async () => {
    const asked: StateRequest[] = []
    const follower = await following((question, urgency) => {
      if (urgency === undefined) return Promise.resolve(answerOf(question))
      asked.push(question)
      return new Promise((resolve) => told.push(() => resolve(answerOf(question))))
    })
    const { source, ingestor, head } = follower
    const rebase = { ...transfer(coin, [alice, alice]), topics: [hash(rebaseTopic)] }
    source.grow(1, [], [rebase])
    await head()
    for (let times = 0; times < 12; times++) {
      for (const tell of told.splice(0)) tell()
      source.grow(1)
      await head()
    }
    await ingestor.stop()
    // The first question was as of a block before.
    const since = asked
      .slice(1)
      .flatMap(({ values }) => values.flatMap(({ holder }) => holder ?? []))
    expect([...new Set(since)].sort()).toEqual(people(30))
  })

  it('that the source fails to answer is asked again; a defect ends the ingestor', async () => {
    let failure: Error = new SourceError('timed-out', 'no answer')
    const { source, ingestor, head } = await following(() => Promise.reject(failure))
    for (let left = 5; left > 0; left--) source.grow(1)
    await head()
    failure = new TypeError('a defect')
    source.grow(1)
    await head()
    source.grow(1)
    await until('it failed', () => ingestor.status().phase === 'halted')
    expect((await ingestor.failed).message).toBe('a defect')
  })
})
