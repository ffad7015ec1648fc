import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { memoryStateStore } from '../../libs/ports/testing/memory-state-store.ts'
import { parsePart } from '../../libs/topics/parts.ts'
import { chainInLog } from '../../test/support/chain-in-log.ts'
import type { SourceOfValues } from '../../test/support/source-of-values.ts'
import { type Fault, unreliableLog } from '../../test/support/unreliable-log.ts'
import type { IngestorOptions } from './ingestor.ts'
import { chainOf, published as publishedBy } from './testing/published.ts'
import type { InMemory } from './testing/start-in-memory.ts'

/** A block is some five parts, and some blocks go in one write. */
const limits = { partBytesMax: 256 + 100, appendBytesMax: 1_000 }
const published = (options: InMemory<IngestorOptions>) =>
  publishedBy({ ...options, limits: { ...limits, ...options.limits } })

async function expectSame(eventLog: ReturnType<typeof memoryEventLog>, source: SourceOfValues) {
  const { standing } = await chainInLog(eventLog)
  expect(standing).toEqual(new Map([...source.blocks].map(([number, { hash }]) => [number, hash])))
}

const everything = { messagesMax: 1_000_000, bytesMax: 1_000_000_000 }

describe('messages above the bound of a part', () => {
  it('are published in parts of at most that size, and none is left to be skipped', async () => {
    const eventLog = memoryEventLog()
    const source = chainOf(10)
    expect(await published({ source, eventLog })).toBeNull()
    const stored = await eventLog.read('blocks', 0, everything)
    expect(stored.length).toBeGreaterThan(30)
    for (const { value } of stored) {
      expect(value.length).toBeLessThanOrEqual(limits.partBytesMax)
      expect(parsePart(value)).not.toBeNull()
    }
    expect((await chainInLog(eventLog)).skipped).toEqual([])
    await expectSame(eventLog, source)
  })

  it('are found again when the source leaves their blocks, also by a later life', async () => {
    const eventLog = memoryEventLog()
    const state = memoryStateStore()
    const source = chainOf(20)
    await published({ source, eventLog, state })
    for (const [depth, lost] of [
      [3, false],
      [7, true],
    ] as const) {
      source.fork(depth, depth + 2, depth)
      const kept = lost ? memoryStateStore() : state
      expect(await published({ source, eventLog, state: kept })).toBeNull()
      await expectSame(eventLog, source)
    }
  })

  it('are published by two who race, and every place is taken by one of them', async () => {
    const eventLog = memoryEventLog()
    const source = chainOf(60)
    const both = [3, 5].map((blocksAheadMax) =>
      published({
        source,
        eventLog,
        limits: { blocksAheadMax, appendBytesMax: 100 * blocksAheadMax },
      }),
    )
    expect(await Promise.all(both)).toEqual([null, null])
    await expectSame(eventLog, source)
  })

  it('are finished after the log was away in the middle of them, whatever arrived', async () => {
    const fault = fc.constantFrom<(Fault | null)[]>(null, null, null, 'lost', 'unheard')
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { maxLength: 40 }), fc.boolean(), async (append, isLost) => {
        const eventLog = memoryEventLog()
        const source = chainOf(6)
        const state = memoryStateStore()
        const unreliable = unreliableLog(eventLog, { append })
        expect(await published({ source, eventLog: unreliable, state })).toBeNull()
        await expectSame(eventLog, source)
        // Another life, after the last word or after one in the middle of a message.
        source.grow(1)
        const kept = isLost ? memoryStateStore() : state
        expect(await published({ source, eventLog, state: kept })).toBeNull()
        await expectSame(eventLog, source)
      }),
      { numRuns: 25 },
    )
  })

  it('are finished by a life that begins in the middle of them', async () => {
    const whole = memoryEventLog()
    const source = chainOf(4)
    await published({ source, eventLog: whole })
    const stored = await whole.read('blocks', 0, everything)
    for (let cut = 1; cut < stored.length; cut++) {
      const eventLog = memoryEventLog()
      const state = memoryStateStore()
      await eventLog.append('blocks', stored.slice(0, cut))
      expect(
        await published({ source, eventLog, state, limits: { saveIntervalMessages: 1 } }),
      ).toBeNull()
      await expectSame(eventLog, source)
    }
  })

  it('that others have begun wrongly are published until they are accepted', async () => {
    const right = memoryEventLog()
    const source = chainOf(1)
    await published({ source, eventLog: right })
    const [first] = await right.read('blocks', 0, everything)
    if (first === undefined) throw new Error('nothing published')
    const spoiled = Buffer.from(first.value)
    spoiled.write('!', spoiled.length - 2)
    const eventLog = memoryEventLog()
    await eventLog.append('blocks', [{ key: '1', value: spoiled }])
    expect(await published({ source, eventLog })).toBeNull()
    const { skipped } = await chainInLog(eventLog)
    expect(skipped).toEqual([expect.stringContaining('make another one')])
    await expectSame(eventLog, source)
  })
})
