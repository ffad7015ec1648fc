import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { SourceError } from '../../libs/ports/chain-source.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { memoryStateStore } from '../../libs/ports/testing/memory-state-store.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { accept, nothingAccepted } from '../../libs/topics/acceptance.ts'
import { chainInLog } from '../../test/support/chain-in-log.ts'
import { SourceOfValues } from '../../test/support/source-of-values.ts'
import { chainOf, published } from './testing/published.ts'
import { startInMemory } from './testing/start-in-memory.ts'

const limits = { retryMinMs: 0, retryMaxMs: 1 }
const polling = { interval: 1, timeout: 50_000 }

/** 300 blocks and their log, published once and copied for each who goes on with them. */
const long = { source: chainOf(300), eventLog: memoryEventLog() }
beforeAll(() => published(long))

async function longChain() {
  const source = new SourceOfValues()
  for (const [number, block] of long.source.blocks) source.blocks.set(number, block)
  const eventLog = memoryEventLog()
  const all = { messagesMax: 1_000, bytesMax: Number.MAX_SAFE_INTEGER }
  await eventLog.append('blocks', await long.eventLog.read('blocks', 0, all))
  expect(await eventLog.end('blocks')).toBe(300)
  return { source, eventLog }
}

async function expectSame(eventLog: EventLog, source: SourceOfValues): Promise<void> {
  const { standing, skipped } = await chainInLog(eventLog)
  expect(skipped).toEqual([])
  expect(standing).toEqual(new Map([...source.blocks].map(([at, { hash }]) => [at, hash])))
}

describe('a fork', () => {
  it.each([1, 3, 12, 64, 256])(
    'of depth %i is undone newest first, then applied',
    async (depth) => {
      const { source, eventLog } = await longChain()
      const before = await chainInLog(eventLog)
      source.fork(depth, depth + 1, 2)
      const metrics = startMetrics()
      expect(await published({ source, eventLog, metrics })).toBeNull()
      await expectSame(eventLog, source)
      expect((await metrics.reorganisations.get()).values).toMatchObject([{ value: 1 }])
      expect((await metrics.revertedBlocks.get()).values).toMatchObject([{ value: depth }])
      const after = (await chainInLog(eventLog)).accepted.slice(300)
      const undone = after.slice(0, depth)
      const applied = before.accepted.slice(-depth).reverse()
      undone.forEach((message, at) => {
        const { sequence } = message
        expect(message).toEqual({ ...applied[at], kind: 'block.reverted', sequence })
      })
      expect(after).toHaveLength(2 * depth + 1)
    },
  )

  it('deeper than can be undone halts and names the page to read', async () => {
    const { source, eventLog } = await longChain()
    source.fork(257, 258, 2)
    const failure = await published({ source, eventLog })
    expect(failure?.message).toMatch(/at most 256 can be undone\. See deploy\/runbooks\/reorg/)
    expect(await eventLog.end('blocks')).toBe(300)
  })

  it('that takes our first block is undone down to it', async () => {
    const eventLog = memoryEventLog()
    const source = chainOf(5)
    await published({ source, eventLog })
    source.fork(5, 6, 2)
    expect(await published({ source, eventLog })).toBeNull()
    await expectSame(eventLog, source)
  })

  it('below a declared gap halts', async () => {
    const eventLog = memoryEventLog()
    const source = chainOf(10)
    source.blocks.delete(4)
    await published({ source, eventLog, allowGaps: true })
    source.fork(5, 0, 2)
    for (const number of [3, 2]) source.blocks.delete(number)
    for (let number = 2; number < 12; number++) source.grow(2)
    const failure = await published({ source, eventLog, allowGaps: true })
    expect(failure?.message).toMatch(/forks from the log below block/)
  })

  it('leads back to a head whose time is known, though the source returned no parent', async () => {
    const eventLog = memoryEventLog()
    const source = chainOf(20)
    const told = source.block.bind(source)
    source.block = async (number) => {
      const block = await told(number)
      return block && { ...block, parentTimestamp: null }
    }
    await published({ source, eventLog, limits: { blocksAheadMax: 3 } })
    source.fork(2, 3, 2)
    expect(await published({ source, eventLog, limits: { blocksAheadMax: 3 } })).toBeNull()
    const { accepted } = await chainInLog(eventLog)
    const applied = accepted.filter((message) => message.kind === 'block.applied')
    const parents = applied.map(({ block }) => block.parentTimestamp)
    const times = [...Array(19).keys(), 17, 18, 19].map((number) => 1_700_000_000 + number)
    expect(parents).toEqual([null, ...times])
    let state = nothingAccepted
    for (const message of accepted) {
      const fate = accept(state, message)
      if (fate.fate === 'accepted') state = fate.next
      expect(state.head?.timestamp).toBe(1_700_000_000 + (state.head?.number ?? 0))
    }
  })

  it('is no fork when the source is only behind us', async () => {
    const eventLog = memoryEventLog()
    const source = chainOf(10)
    await published({ source, eventLog })
    const shorter = chainOf(8)
    expect(await published({ source: shorter, eventLog })).toBeNull()
    expect(await eventLog.end('blocks')).toBe(10)
  })

  it('is no fork too deep when the source has fallen behind all that we remember', async () => {
    const { source, eventLog } = await longChain()
    const whole = new Map(source.blocks)
    source.fork(1, 2, 2)
    const forked = new Map(source.blocks)
    const right = source.block.bind(source)
    // Behind one address stand two nodes, and the other has hardly begun.
    let answers = 0
    source.block = async (number) => {
      const block = await right(number)
      if (++answers === 1) for (let at = 20; at <= 300; at++) source.blocks.delete(at)
      return block
    }
    source.hash = async (number) => (answers > 0 ? forked : whole).get(number)?.hash ?? null
    source.nextNumber = async (number) => (number <= 300 ? number : null)
    const troubles: string[] = []
    const warn = (_: unknown, sentence: string) => void troubles.push(sentence)
    const ingestor = await startInMemory({ source, eventLog, limits, log: { ...silentLog, warn } })
    await expect.poll(() => troubles.join(), polling).toMatch(/at block 19, below every block/)
    for (const [number, block] of forked) source.blocks.set(number, block)
    await ingestor.done
    await ingestor.stop()
    await expectSame(eventLog, source)
  })

  it('is met though the source promises a block that it never gives', async () => {
    const eventLog = memoryEventLog()
    const source = chainOf(10)
    await published({ source, eventLog })
    const right = source.block.bind(source)
    let isForked = false
    source.nextNumber = async (number) => (number <= 10 ? number : null)
    source.block = async (number) => {
      if (number !== 10 || isForked) return right(number)
      isForked = true
      source.fork(3, 2, 2)
      return null
    }
    const ingestor = await startInMemory({ source, eventLog, limits })
    await expect.poll(() => eventLog.end('blocks'), polling).toBe(15)
    await ingestor.stop()
    await expectSame(eventLog, source)
  })

  it('is trouble when the source gives a block of a chain that it denies', async () => {
    const eventLog = memoryEventLog()
    const source = chainOf(10)
    await published({ source, eventLog })
    const other = chainOf(10)
    other.fork(3, 4, 2)
    source.grow(1)
    const right = source.block.bind(source)
    let wrongAnswers = 3
    source.block = async (number) => (wrongAnswers-- > 0 ? other.block(number) : right(number))
    expect(await published({ source, eventLog })).toBeNull()
    await expectSame(eventLog, source)
    expect(await eventLog.end('blocks')).toBe(11)
  })
})

describe('two ingestors on one log', () => {
  it('leave one chain, whatever the order', async () => {
    const eventLog = memoryEventLog()
    const source = chainOf(200)
    const both = await Promise.all([
      published({ source, eventLog, limits: { blocksAheadMax: 3 } }),
      published({ source, eventLog, limits: { blocksAheadMax: 5 } }),
    ])
    expect(both).toEqual([null, null])
    const { standing, skipped } = await chainInLog(eventLog)
    expect(standing.size).toBe(200)
    expect(new Set(skipped).size).toBeGreaterThan(0)
    expect(new Set(skipped)).not.toContain('invalid')
  })
})

describe('the memory of an ingestor', () => {
  it('that belongs to another log is forgotten', async () => {
    const state = memoryStateStore()
    await published({ source: chainOf(30), eventLog: memoryEventLog(), state })
    const other = chainOf(1)
    for (let number = 1; number < 40; number++) other.grow(9)
    const eventLog = memoryEventLog()
    await published({ source: other, eventLog })
    other.grow(9)
    expect(await published({ source: other, eventLog, state })).toBeNull()
    await expectSame(eventLog, other)
  })

  it('makes no difference to what is published, whatever happens and whenever it is lost', async () => {
    const step = fc.record({
      depth: fc.nat({ max: 12 }),
      length: fc.nat({ max: 14 }),
      fate: fc.constantFrom('kept', 'lost'),
      troubles: fc.nat({ max: 2 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const eventLog = memoryEventLog()
        let state: StateStore = memoryStateStore()
        const source = chainOf(14)
        await published({ source, eventLog, state, limits: { saveIntervalMessages: 3 } })
        for (const [at, { depth, length, fate, troubles }] of steps.entries()) {
          const deep = Math.min(depth, source.blocks.size - 1)
          source.fork(deep, Math.max(length, deep), at + 2)
          for (let each = 0; each < troubles; each++) {
            source.troubles.push(new SourceError('unreachable', 'away'))
          }
          if (fate === 'lost') state = memoryStateStore()
          expect(await published({ source, eventLog, state })).toBeNull()
          await expectSame(eventLog, source)
        }
      }),
      { numRuns: 20 },
    )
  }, 30_000)
})
