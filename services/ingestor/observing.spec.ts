import { describe, expect, it } from 'vitest'
import { memoryEventLog } from '../../libs/adapters/memory/memory-event-log.ts'
import { memoryStateStore } from '../../libs/adapters/memory/memory-state-store.ts'
import { type Address, hash, zeroAddress } from '../../libs/chain/hex.ts'
import type { Observation } from '../../libs/chain/observation.ts'
import { depositLog, transferLog } from '../../libs/projections/testing/facts.ts'
import { silentLog } from '../../libs/signals/log.ts'
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
  const empty = { balances: [], supplies: [], owners: [], tokens: [] }
  source.observe = async ({ block }) => ({
    observation: { block, hash: foreign, ...empty },
    unanswered: [],
    failed: [],
  })
  await expect(observations({ source, log: memoryEventLog() })).rejects.toThrow('would publish')
})

it('leaves out what is above the bound, first what transfers explain, and says so', async () => {
  const source = chain()
  const warnings: string[] = []
  const signals = {
    ...silentLog,
    warn: (_: unknown, sentence: string) => void warnings.push(sentence),
  }
  source.grow(1, [], [transfer(coin, [bob, bob]), deposit(coin, alice)])
  const limits = { observedBalancesMax: 1 }
  expect(await observations({ source, log: memoryEventLog(), signals, limits })).toEqual([
    'block.applied',
    '0: 7 a 0',
  ])
  expect(warnings).toEqual(['1 balances are not asked for: unknown where they deviate'])
})

describe('what the source could not tell of an older block', () => {
  /** Knows the state from a block on. */
  const knowing = (source: SourceOfValues, from: number) => {
    const { observe } = source
    source.observe = async (question) =>
      question.block < from ? null : observe.call(source, question)
    return source
  }
  const owing = () => {
    const source = chain()
    source.grow(1, [], [deposit(coin, alice)])
    source.grow(1, [], [transfer(coin, [alice, bob])])
    return source
  }
  const parts = () => ({ log: memoryEventLog(), state: memoryStateStore() })

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

  it('is remembered over a restart', async () => {
    const [source, kept] = [owing(), parts()]
    source.observe = async () => null
    await observations({ source, ...kept })
    const later = knowing(chain(), 2)
    for (const [number, block] of source.blocks) later.blocks.set(number, block)
    later.grow(1)
    expect((await observations({ source: later, ...kept })).at(-1)).toBe('2: 7 a 0, 7 b 1')
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

  it('is asked for no more if the contract says nothing', async () => {
    const source = knowing(owing(), 2)
    source.balances.clear()
    for (let each = 0; each < 3; each++) source.grow(1)
    const asked: number[] = []
    const { observe } = source
    source.observe = async (question) => {
      if (question.block >= 2) asked.push(question.balances.length)
      return observe(question)
    }
    await observations({ source, ...parts(), limits: { blocksAheadMax: 1 } })
    expect(asked).toEqual([2])
  })

  it('is left out above the bound, aloud', async () => {
    const warnings: string[] = []
    const warn = (_: unknown, sentence: string) => void warnings.push(sentence)
    const limits = { owedBalancesMax: 1 }
    const source = knowing(owing(), 2)
    source.grow(1)
    await observations({ source, ...parts(), limits, signals: { ...silentLog, warn } })
    expect(warnings).toEqual(['1 balances are not asked for: unknown where they deviate'])
  })
})
