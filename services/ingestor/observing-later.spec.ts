import { describe, expect, it } from 'vitest'
import { SourceError } from '../../libs/ports/chain-source.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { memoryStateStore } from '../../libs/ports/testing/memory-state-store.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { counted } from '../../libs/signals/testing/counted.ts'
import {
  alice,
  bob,
  coin,
  deposit,
  observableChain,
  observations,
  transfer,
} from '../../test/support/observable-chain.ts'
import type { SourceOfValues } from '../../test/support/source-of-values.ts'
import type { IngestorOptions } from './ingestor.ts'

/** Knows the state from a block on. */
const knowing = (source: SourceOfValues, from: number) => {
  const { observe } = source
  source.observe = async (question) =>
    question.block < from ? null : observe.call(source, question)
  return source
}
/** Two blocks that touch the coin. */
const owing = () => {
  const source = observableChain()
  source.grow(1, [], [deposit(coin, alice)])
  source.grow(1, [], [transfer(coin, [alice, bob])])
  return source
}
/** The same chain, some blocks longer, at another node. */
const longer = (source: SourceOfValues, blocks: number) => {
  const later = observableChain()
  for (const [number, block] of source.blocks) later.blocks.set(number, block)
  for (let each = 0; each < blocks; each++) later.grow(1)
  return later
}
const parts = () => ({ eventLog: memoryEventLog(), state: memoryStateStore() })
/** A volume that keeps nothing of what is written to it before a kill. */
const killed = (state: StateStore): StateStore => ({
  get: (key) => state.get(key),
  scan: (prefix, count) => state.scan(prefix, count),
  stage: async () => {},
  discardStaged: async () => {},
  scratch: () => state.scratch(),
  commit: async () => {},
  assertHeld: () => state.assertHeld(),
  close: async () => {},
})

describe('state of an older block that the source could not return', () => {
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
    const [source, { eventLog }] = [owing(), parts()]
    source.hasState = false
    await observations({ source, eventLog })
    const later = longer(source, 1)
    expect((await observations({ source: later, eventLog })).at(-1)).toBe('2: 7 a 0, 7 b 1')
  })

  it('is asked for after a trouble that does not pass in time', async () => {
    const source = owing()
    source.grow(1)
    const { observe } = source
    source.observe = async (question) => {
      if (question.block < 2) throw new SourceError('unreachable', 'connection refused')
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
    const limits = { pendingBalancesMax: 2, blocksAheadMax: 1 }
    const source = knowing(owing(), 2)
    await observations({ source, ...parts(), metrics, limits, log: { ...silentLog, warn } })
    expect(warnings).toEqual(['1 balances stay unknown until they move again'])
    expect(await counted(metrics.questionsDeferred)).toEqual([
      { labels: { kind: 'balance', reason: 'full' }, value: 1 },
    ])
    expect((await metrics.pendingBalances.get()).values).toMatchObject([{ value: 2 }])
  })
})
