import { describe, expect, it } from 'vitest'
import type { Address } from '../../libs/chain/hex.ts'
import type { TokenMetadata } from '../../libs/chain/token.ts'
import { SourceError, type TokensResult } from '../../libs/ports/chain-source.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { memoryStateStore } from '../../libs/ports/testing/memory-state-store.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { counted } from '../../libs/signals/testing/counted.ts'
import { chainInLog } from '../../test/support/chain-in-log.ts'
import { SourceOfValues, tokenAddress } from '../../test/support/source-of-values.ts'
import type { IngestorOptions } from './ingestor.ts'
import { type InMemory, startInMemory } from './testing/start-in-memory.ts'

const limits = { retryMinMs: 0, retryMaxMs: 1, blocksAheadMax: 1 }
const token = tokenAddress(7)
const many = Array.from({ length: 10 }, (_, at) => tokenAddress(0x100 + at))

/** Publishes a source that ends. @returns what is attached to each block, tokens by number */
async function attached(options: InMemory<IngestorOptions>) {
  const ingestor = await startInMemory({ ...options, limits: { ...limits, ...options.limits } })
  await Promise.race([ingestor.done, ingestor.failed.then((error) => Promise.reject(error))])
  await ingestor.stop()
  const { accepted } = await chainInLog(options.eventLog)
  return accepted.flatMap((it) => (it.kind === 'block.applied' ? [it.tokens] : []))
}
const addressesOf = (blocks: readonly (readonly TokenMetadata[])[]) =>
  blocks.map((tokens) => tokens.map(({ address }) => address))

type Answer = (tokens: readonly Address[], block: number) => Partial<TokensResult> | null

/** A chain whose blocks show tokens, and answers about them; null for what it would say itself. */
function sourceOf(shown: readonly (readonly Address[])[], answer: Answer = () => null) {
  const source = new SourceOfValues()
  for (const tokens of shown) source.grow(1, tokens)
  const { tokens } = source
  source.tokens = async (asked, block) => {
    const own = await tokens.call(source, asked, block)
    const spoilt = answer(asked, block)
    return spoilt ? { metadata: [], failed: [], cutOff: [], ...spoilt } : own
  }
  return source
}
const blocksAsked = (source: SourceOfValues, of = token) =>
  source.asked.flatMap(([block, tokens]) => (tokens.includes(of) ? [block] : []))
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)

describe('a token that returns nothing', () => {
  it('is asked a few times, with growing pauses, however often it appears', async () => {
    const source = sourceOf(times(300, [token]), () => ({}))
    await attached({ source, eventLog: memoryEventLog() })
    expect(blocksAsked(source)).toEqual([0, 4, 20, 84, 212])
  })

  it('is asked as rarely where its node is well and it fails', async () => {
    const source = sourceOf(times(300, [token]), () => ({ failed: [token] }))
    await attached({ source, eventLog: memoryEventLog() })
    expect(blocksAsked(source)).toHaveLength(5)
  })

  it('is attached once it responds, in a block that does not contain it', async () => {
    const source = sourceOf([[token], ...times(7, [])], (_, block) => (block < 4 ? {} : null))
    const told = await attached({ source, eventLog: memoryEventLog() })
    expect(told.map((tokens) => tokens.map(({ block }) => block))).toEqual([
      ...times(4, []),
      [4],
      ...times(3, []),
    ])
  })

  it('keeps its pauses over a restart', async () => {
    const [eventLog, state] = [memoryEventLog(), memoryStateStore()]
    const source = sourceOf(times(3, [token]), () => ({}))
    await attached({ source, eventLog, state })
    source.grow(1, [token])
    source.grow(1, [token])
    await attached({ source, eventLog, state })
    expect(blocksAsked(source)).toEqual([0, 4])
  })
})

describe('a token that returns a part of its metadata', () => {
  const part = (block: number): TokenMetadata => ({
    address: token,
    standard: null,
    name: 'Part',
    symbol: null,
    decimals: null,
    totalSupply: null,
    block,
  })

  it('is attached with that part, and queried again for the rest', async () => {
    const source = sourceOf(times(7, [token]), (_, block) =>
      block < 4 ? { metadata: [part(block)], failed: [token] } : null,
    )
    const told = await attached({ source, eventLog: memoryEventLog() })
    expect(blocksAsked(source)).toEqual([0, 4])
    const names = told.map(([metadata]) => metadata?.name)
    expect(names).toEqual([...times(4, 'Part'), ...times(3, 'token as of 4')])
  })
})

describe('more new tokens than are asked at once', () => {
  it('come with later blocks, though those do not show them, and are counted', async () => {
    const source = sourceOf([many, [], [], [], []])
    const metrics = startMetrics()
    const options = { source, eventLog: memoryEventLog(), metrics, limits: { askedTokensMax: 3 } }
    const told = addressesOf(await attached(options))
    expect(told.map((tokens) => tokens.length)).toEqual([3, 3, 3, 1, 0])
    expect(new Set(told.flat())).toEqual(new Set(many))
    const deferred = { labels: { kind: 'token', reason: 'bound' }, value: 7 }
    expect(await counted(metrics.questionsDeferred)).toEqual([deferred])
    expect((await metrics.waitingTokens.get()).values).toMatchObject([{ value: 0 }])
  })

  it('wait beside new ones, so that a flood of these does not take their turn', async () => {
    const flood = times(4, 0).map((_, block) =>
      times(6, 0).map((__, at) => tokenAddress(0x1000 + block * 16 + at)),
    )
    const source = sourceOf([many.slice(0, 4), ...flood])
    const options = { source, eventLog: memoryEventLog(), limits: { askedTokensMax: 2 } }
    const told = addressesOf(await attached(options))
    expect(told.slice(0, 2).flat()).toEqual(expect.arrayContaining(many.slice(0, 4)))
  })

  it.each([
    ['restart', true],
    ['lost volume', false],
  ] as const)('are not forgotten by a %s', async (_, isKept) => {
    const [eventLog, state] = [memoryEventLog(), memoryStateStore()]
    const source = sourceOf([many])
    const bound = { askedTokensMax: 3 }
    await attached({ source, eventLog, state, limits: bound })
    for (let each = 0; each < 3; each++) source.grow(1)
    const told = await attached({ source, eventLog, ...(isKept ? { state } : {}), limits: bound })
    expect(new Set(addressesOf(told).flat())).toEqual(new Set(many))
  })

  it('are left out once their first sight is deep, aloud', async () => {
    const source = sourceOf([many, ...times(5, [])])
    const warnings: string[] = []
    const warn = (__: unknown, sentence: string) => void warnings.push(sentence)
    const metrics = startMetrics()
    const bounds = { askedTokensMax: 2, firstSightDepthMax: 3 }
    const log = { ...silentLog, warn }
    await attached({ source, eventLog: memoryEventLog(), log, metrics, limits: bounds })
    expect(warnings).toEqual(['2 tokens have no name, or an old one, as too many wait (expired)'])
    expect((await metrics.questionsDeferred.get()).values).toContainEqual(
      expect.objectContaining({ labels: { kind: 'token', reason: 'expired' }, value: 2 }),
    )
  })

  it('are asked only where they appear when there is no room to remember them', async () => {
    const source = sourceOf(times(3, many.slice(0, 3)))
    const bounds = { askedTokensMax: 1, waitingTokensMax: 1 }
    const told = addressesOf(await attached({ source, eventLog: memoryEventLog(), limits: bounds }))
    expect(told.map((tokens) => tokens.length)).toEqual([1, 2, 3])
  })
})

describe('attached metadata of a token', () => {
  it('stands in no block before the one that it was asked as of', async () => {
    const source = sourceOf([many, many])
    const bounds = { askedTokensMax: 5, blocksAheadMax: 2 }
    const told = await attached({ source, eventLog: memoryEventLog(), limits: bounds })
    expect(told.flatMap((tokens, at) => tokens.filter(({ block }) => block > at))).toEqual([])
    expect(told.map((tokens) => tokens.length)).toEqual([5, 10])
  })

  it('is asked again, though it does not appear, when its block is orphaned', async () => {
    const [eventLog, state] = [memoryEventLog(), memoryStateStore()]
    const source = sourceOf([[token], [], [], [], []], (_, block) => (block < 4 ? {} : null))
    await attached({ source, eventLog, state })
    source.fork(1, 2, 2)
    const told = addressesOf(await attached({ source, eventLog, state }))
    expect(told.slice(-2)).toEqual([[token], []])
    expect(blocksAsked(source)).toEqual([0, 4, 4])
  })

  it('comes with a later block where the node was in trouble for too long', async () => {
    const source = sourceOf([[token], [], []], (_, block) => {
      if (block === 0) throw new SourceError('unreachable', 'connection refused')
      return null
    })
    const told = addressesOf(await attached({ source, eventLog: memoryEventLog() }))
    expect(told).toEqual([[], [token], []])
    expect(blocksAsked(source)).toEqual([0, 0, 0, 1])
  })
})
