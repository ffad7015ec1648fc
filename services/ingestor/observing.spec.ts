import { describe, expect, it } from 'vitest'
import { memoryEventLog } from '../../libs/adapters/memory/memory-event-log.ts'
import { memoryStateStore } from '../../libs/adapters/memory/memory-state-store.ts'
import { type Address, hash, zeroAddress } from '../../libs/chain/hex.ts'
import type { Observation } from '../../libs/chain/observation.ts'
import { SourceTrouble, type StateAnswer, type StateQuestion } from '../../libs/ports/node.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import { depositLog, transferLog } from '../../libs/projections/testing/facts.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { chainInLog } from '../../test/support/chain-in-log.ts'
import { SourceOfValues, tokenAddress } from '../../test/support/source-of-values.ts'
import { type IngestorOptions, startIngestor } from './ingestor.ts'

const coin = tokenAddress(7)
const other = tokenAddress(8)
const [alice, bob] = [tokenAddress(0xa), tokenAddress(0xb)]
const logOf = (fact: ReturnType<typeof depositLog>) => ({ ...fact, index: 0 })
const deposit = (token: Address, holder: Address) => logOf(depositLog(token, holder, 3n))
const transfer = (token: Address, ends: readonly [Address, Address]) =>
  logOf(transferLog(token, ends, 2n))

async function observations(options: IngestorOptions) {
  const ingestor = await startIngestor(options)
  await Promise.race([ingestor.done, ingestor.failed.then((error) => Promise.reject(error))])
  await ingestor.stop()
  const { accepted, skipped } = await chainInLog(options.log)
  expect(skipped).toEqual([])
  return accepted.map((it) =>
    it.kind === 'state.observed' ? `${it.block}: ${it.balances.map(wordsOf).join(', ')}` : it.kind,
  )
}

const wordsOf = ({ token, holder, value }: Observation['balances'][number]) =>
  `${nameOf(token)} ${nameOf(holder)} ${value}`
const nameOf = (address: Address) => address.slice(-1)

function chain(): SourceOfValues {
  const source = new SourceOfValues()
  for (const token of [coin, other]) {
    for (const [at, holder] of [alice, bob].entries())
      source.balances.set(token + holder, BigInt(at))
  }
  source.balances.set(coin + zeroAddress, 9n)
  return source
}

it('asks for the accounts of a block, once the token has told of a deposit', async () => {
  const source = chain()
  source.grow(1, [], [transfer(coin, [alice, bob])])
  source.grow(1, [], [transfer(coin, [bob, bob]), deposit(coin, alice)])
  source.grow(1, [], [transfer(other, [alice, bob])])
  source.grow(1, [], [transfer(coin, [zeroAddress, bob])])
  expect(await observations({ source, log: memoryEventLog() })).toEqual([
    'block.applied',
    'block.applied',
    '1: 7 a 0, 7 b 1',
    'block.applied',
    'block.applied',
    '3: 7 b 1',
  ])
})

it('remembers over a restart which tokens deviate', async () => {
  const [log, state, source] = [memoryEventLog(), memoryStateStore(), chain()]
  source.grow(1, [], [deposit(coin, alice)])
  await observations({ source, log, state })
  source.grow(1, [], [transfer(coin, [alice, bob])])
  expect((await observations({ source, log, state })).slice(2)).toEqual([
    'block.applied',
    '1: 7 a 0, 7 b 1',
  ])
})

it('goes on without an observation where the source cannot tell', async () => {
  const source = chain()
  source.grow(1, [], [deposit(coin, alice)])
  source.observe = async () => null
  expect(await observations({ source, log: memoryEventLog() })).toEqual(['block.applied'])
})

it('asks nothing of a source without a state', async () => {
  const source = chain()
  source.hasState = false
  source.grow(1, [], [deposit(coin, alice)])
  expect(await observations({ source, log: memoryEventLog() })).toEqual(['block.applied'])
})

it('asks as of the very block, by its hash', async () => {
  const source = chain()
  source.grow(1, [], [deposit(coin, alice)])
  const asked: unknown[] = []
  source.observe = async ({ block, hash, supplies }) => {
    asked.push([block, hash, supplies])
    return null
  }
  await observations({ source, log: memoryEventLog() })
  expect(asked).toEqual([[0, source.blocks.get(0)?.hash, [coin]]])
})

it('halts rather than publish an observation of another block', async () => {
  const source = chain()
  source.grow(1, [], [deposit(coin, alice)])
  const foreign = hash(`0x${'12'.repeat(32)}`)
  const balances = [{ token: coin, holder: alice, tokenId: null, value: 1n }]
  const observed = { balances, supplies: [], owners: [], tokens: [] }
  source.observe = async ({ block }) => ({
    observation: { block, hash: foreign, ...observed },
    unanswered: [],
    failed: [],
  })
  await expect(observations({ source, log: memoryEventLog() })).rejects.toThrow('would publish')
})

it('publishes no observation that tells nothing', async () => {
  const source = chain()
  source.balances.clear()
  source.grow(1, [], [deposit(coin, alice)])
  expect(await observations({ source, log: memoryEventLog() })).toEqual(['block.applied'])
})

it('puts off what is above the bound, first what transfers explain, and counts it', async () => {
  const source = chain()
  source.grow(1, [], [transfer(coin, [bob, bob]), deposit(coin, alice)])
  source.grow(1)
  const metrics = startMetrics()
  const limits = { observedBalancesMax: 1, blocksAheadMax: 1 }
  expect(await observations({ source, log: memoryEventLog(), metrics, limits })).toEqual([
    'block.applied',
    '0: 7 a 0',
    'block.applied',
    '1: 7 b 1',
  ])
  expect((await metrics.questionsDeferred.get()).values).toMatchObject([
    { labels: { kind: 'balance', reason: 'bound' }, value: 2 },
  ])
})

it('asks all tokens in turn, so that none takes the place of another', async () => {
  const source = chain()
  const many = Array.from({ length: 5 }, (_, at) => deposit(other, tokenAddress(0x100 + at)))
  source.grow(1, [], [...many, deposit(coin, alice), deposit(coin, bob)])
  const limits = { observedBalancesMax: 4 }
  const [, observed] = await observations({ source, log: memoryEventLog(), limits })
  expect(observed).toBe('0: 7 a 0, 7 b 1')
})

/** Knows the state from a block on. */
const knowing = (source: SourceOfValues, from: number) => {
  const { observe } = source
  source.observe = async (question) =>
    question.block < from ? null : observe.call(source, question)
  return source
}
/** Two blocks that touch the coin. */
const owing = () => {
  const source = chain()
  source.grow(1, [], [deposit(coin, alice)])
  source.grow(1, [], [transfer(coin, [alice, bob])])
  return source
}
/** The same chain, some blocks longer, at another node. */
const longer = (source: SourceOfValues, blocks: number) => {
  const later = chain()
  for (const [number, block] of source.blocks) later.blocks.set(number, block)
  for (let each = 0; each < blocks; each++) later.grow(1)
  return later
}
const parts = () => ({ log: memoryEventLog(), state: memoryStateStore() })
/** A volume that keeps nothing of what is written to it before a kill. */
const killed = (state: StateStore): StateStore => ({
  get: (key) => state.get(key),
  scan: (prefix, count) => state.scan(prefix, count),
  commit: async () => {},
  assertHeld: () => state.assertHeld(),
  close: async () => {},
})

describe('what the source could not tell of an older block', () => {
  it('is asked for after a newer one, once, though nothing touches it there', async () => {
    const source = knowing(owing(), 2)
    source.grow(1)
    source.grow(1)
    const limits = { blocksAheadMax: 1 }
    expect(await observations({ source, ...parts(), limits })).toEqual([
      ...Array(3).fill('block.applied'),
      '2: 7 a 0, 7 b 1',
      'block.applied',
    ])
  })

  it.each<[string, (kept: ReturnType<typeof parts>) => Partial<IngestorOptions>]>([
    ['a restart', () => ({})],
    ['a kill', ({ state }) => ({ state: killed(state) })],
    ['the loss of the volume', () => ({ state: memoryStateStore() })],
  ])('is remembered over %s', async (_, lives) => {
    const [source, kept] = [owing(), parts()]
    source.observe = async () => null
    await observations({ source, ...kept, ...lives(kept) })
    const later = knowing(longer(source, 1), 2)
    expect((await observations({ source: later, ...kept })).at(-1)).toBe('2: 7 a 0, 7 b 1')
  })

  it('is asked for by one ingestor though another without a state has published', async () => {
    const [source, { log }] = [owing(), parts()]
    source.hasState = false
    await observations({ source, log })
    const later = longer(source, 1)
    expect((await observations({ source: later, log })).at(-1)).toBe('2: 7 a 0, 7 b 1')
  })

  it('is asked for after a trouble that does not pass in time', async () => {
    const source = owing()
    source.grow(1)
    const { observe } = source
    source.observe = async (question) => {
      if (question.block < 2) throw new SourceTrouble('unreachable', 'connection refused')
      return observe.call(source, question)
    }
    const limits = { blocksAheadMax: 1, retryMinMs: 0, retryMaxMs: 1 }
    expect((await observations({ source, ...parts(), limits })).at(-1)).toBe('2: 7 a 0, 7 b 1')
  })

  it('is asked for again when a fork takes the answer back', async () => {
    const [source, kept] = [knowing(owing(), 2), parts()]
    source.grow(1)
    await observations({ source, ...kept, limits: { blocksAheadMax: 1 } })
    source.fork(1, 1, 2)
    expect((await observations({ source, ...kept })).slice(-4)).toEqual([
      '2: 7 a 0, 7 b 1',
      'block.reverted',
      'block.applied',
      '2: 7 a 0, 7 b 1',
    ])
  })

  it('is forgotten once no fork can take the answer back', async () => {
    const [source, kept] = [knowing(owing(), 2), parts()]
    for (let each = 0; each < 5; each++) source.grow(1)
    const limits = { blocksAheadMax: 1, reorganisationDepthMax: 2 }
    await observations({ source, ...kept, limits })
    expect([...kept.state.scan(Buffer.from('o'), 10)]).toEqual([])
  })

  it('is dropped where there is no room, aloud', async () => {
    const warnings: string[] = []
    const warn = (_: unknown, sentence: string) => void warnings.push(sentence)
    const metrics = startMetrics()
    const limits = { owedBalancesMax: 2, blocksAheadMax: 1 }
    const source = knowing(owing(), 2)
    await observations({ source, ...parts(), metrics, limits, signals: { ...silentLog, warn } })
    expect(warnings).toEqual(['1 balances stay unknown until they move again'])
    expect((await metrics.questionsDeferred.get()).values).toMatchObject([
      { labels: { kind: 'balance', reason: 'full' }, value: 1 },
    ])
    expect((await metrics.owedBalances.get()).values).toMatchObject([{ value: 2 }])
  })
})

describe('a contract that does not answer', () => {
  /** Numbers of the blocks as of which it was asked, over many that touch it. */
  async function askedOf(
    answer: (source: SourceOfValues, question: StateQuestion) => Promise<StateAnswer | null>,
    count: number,
  ) {
    const source = chain()
    for (let each = 0; each < count; each++) source.grow(1, [], [deposit(other, bob)])
    const asked: number[] = []
    const { observe } = source
    const own: SourceOfValues = Object.assign(Object.create(source), { observe })
    source.observe = async (question) => {
      asked.push(question.block)
      return answer(own, question)
    }
    const limits = { blocksAheadMax: 1 }
    const said = await observations({ source, ...parts(), limits })
    return { asked, observed: said.filter((it) => it !== 'block.applied') }
  }
  const nothingTold = ({ block, hash }: StateQuestion) => ({
    block,
    hash,
    balances: [],
    supplies: [],
    owners: [],
    tokens: [],
  })

  it('as it is no token is asked again with growing pauses, though nothing is owed', async () => {
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

  it('as it fails is asked again with growing pauses, and tells in the end', async () => {
    const { asked, observed } = await askedOf(async (source, question) => {
      if (question.block >= 30) return source.observe(question)
      const unanswered = [...question.balances]
      return { observation: nothingTold(question), unanswered, failed: [other] }
    }, 64)
    expect(asked.slice(0, 7)).toEqual([0, 2, 6, 14, 30, 31, 32])
    expect(observed[0]).toBe('30: 8 b 1')
  })

  it('refuses one balance, which is owed no more', async () => {
    const source = chain()
    source.balances.delete(coin + alice)
    source.grow(1, [], [deposit(coin, alice), deposit(coin, bob)])
    for (let each = 0; each < 5; each++) source.grow(1)
    const asked: number[] = []
    const { observe } = source
    source.observe = async (question) => {
      asked.push(question.balances.length)
      return observe.call(source, question)
    }
    await observations({ source, ...parts(), limits: { blocksAheadMax: 1 } })
    expect(asked).toEqual([2, 1])
  })

  it('answers in part, and the rest is asked for with the next block', async () => {
    const source = chain()
    source.grow(1, [], [deposit(coin, alice), deposit(coin, bob)])
    source.grow(1)
    const { observe } = source
    source.observe = async (question) => {
      const answer = await observe.call(source, question)
      if (question.block > 0 || !answer) return answer
      const balances = answer.observation.balances.filter(({ holder }) => holder !== alice)
      const unanswered = [{ token: coin, holder: alice }]
      return { observation: { ...answer.observation, balances }, unanswered, failed: [] }
    }
    expect(await observations({ source, ...parts(), limits: { blocksAheadMax: 1 } })).toEqual([
      'block.applied',
      '0: 7 b 1',
      'block.applied',
      '1: 7 a 0',
    ])
  })

  it('before it ever answered is asked for a few balances, and then for all', async () => {
    const source = chain()
    const holders = Array.from({ length: 20 }, (_, at) => tokenAddress(0x100 + at))
    for (const holder of holders) source.balances.set(coin + holder, 5n)
    const deposits = holders.map((holder) => deposit(coin, holder))
    source.grow(1, [], deposits)
    source.grow(1, [], deposits)
    const asked: number[] = []
    const { observe } = source
    source.observe = async (question) => {
      asked.push(question.balances.length)
      return observe.call(source, question)
    }
    await observations({ source, ...parts(), limits: { blocksAheadMax: 1 } })
    expect(asked).toEqual([8, 20])
  })
})
