import { expect, test } from 'vitest'
import type { Block } from '../../libs/chain/block.ts'
import { hash } from '../../libs/chain/hex.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { memoryStateStore } from '../../libs/ports/testing/memory-state-store.ts'
import type { BlocksGroup } from '../../libs/projections/group.ts'
import { ledger } from '../../libs/projections/ledger/ledger.ts'
import { stateGroup } from '../../libs/projections/state/state-group.ts'
import { events } from '../../libs/signals/events.ts'
import { type LogFields, silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import { allTables } from '../../libs/tables/tables/all-tables.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { splitMessage } from '../../libs/topics/parts.ts'
import { groupCheck } from '../../services/cli/serve/health.ts'
import { repairInMemory } from '../../services/ingestor/testing/start-in-memory.ts'
import { startProjector } from '../../services/projector/projector.ts'
import { MemoryStore } from '../../services/projector/testing/memory-store.ts'
import { SourceOfValues, tokenAddress } from './source-of-values.ts'
import { until } from './until.ts'

const groups = [ledger, stateGroup]
/** Blocks published before the poison, with sequences from 1; the next would be one more. */
const before = 6
const next = before + 1

interface Poison {
  readonly name: string
  readonly reason: string
  readonly values: (good: Wire) => readonly Uint8Array[]
}

interface Wire {
  readonly kind: 'block.applied'
  readonly sequence: number
  readonly chainId: number
  readonly block: Block
  readonly tokens: []
  readonly contracts: []
}

const nowhere = hash(`0x${'dead'.repeat(16)}`)
const poisons: readonly Poison[] = [
  { name: 'bytes that are no message', reason: 'invalid', values: () => [Buffer.from('{"kind"')] },
  {
    name: 'a field out of its form',
    reason: 'invalid',
    values: (good) => [encodeMessage({ ...good, block: { ...good.block, gasUsed: -1 } })],
  },
  {
    name: 'a block on another parent',
    reason: 'invalid',
    values: (good) => [encodeMessage({ ...good, block: { ...good.block, parentHash: nowhere } })],
  },
  {
    name: 'a block of another chain',
    reason: 'invalid',
    values: (good) => [encodeMessage({ ...good, chainId: 99 })],
  },
  {
    name: 'a message beyond a lost one',
    reason: 'ahead',
    values: (good) => [encodeMessage({ ...good, sequence: next + 1 })],
  },
  {
    name: 'parts that make no message',
    reason: 'invalid',
    values: () => [...splitMessage(Buffer.from('nonsense'.repeat(100)), 600)],
  },
]

/** A group as it runs, with its log lines and metrics. */
function watched(group: BlocksGroup, eventLog: EventLog) {
  const lines: LogFields[] = []
  const say = (fields: LogFields) => void lines.push(fields)
  const metrics = startMetrics()
  const store = new MemoryStore(allTables)
  const log = { ...silentLog, error: say, info: say }
  const state = memoryStateStore()
  const projector = startProjector({ group, eventLog, store, state, log, metrics })
  const stuckMetric = async () => (await metrics.stuck.get()).values[0]?.value
  return { group, eventLog, projector, store, lines, stuckMetric, ready: groupCheck(projector) }
}

function chainOf(count: number): SourceOfValues {
  const source = new SourceOfValues()
  for (let number = 0; number < count; number++) source.grow(1, [tokenAddress(number)])
  return source
}

async function published(source: SourceOfValues, eventLog: EventLog, from: number) {
  const repair = await repairInMemory({ source, eventLog, from })
  try {
    return await repair.repaired
  } finally {
    await repair.stop()
  }
}

/** What each group's tables hold after a life without trouble. */
async function calmTables(source: SourceOfValues): Promise<readonly unknown[]> {
  const eventLog = memoryEventLog()
  const { to } = await published(source, eventLog, 1)
  const all = groups.map((group) => watched(group, eventLog))
  for (const { projector } of all) await projector.waitFor(to)
  for (const { projector } of all) await projector.stop()
  return all.map(({ store }) => store.readAll())
}

/**
 * What becomes of messages of a log that do not count. `emptyLog` makes one, and gives a
 * connection to it at each call, as each process has its own.
 */
export function poisonLaws(emptyLog: () => Promise<() => EventLog>): void {
  test.each(poisons)(
    '$name: each group reports it, and continues after a repair',
    async (poison) => {
      const connected = await emptyLog()
      const eventLog = connected()
      const source = chainOf(before)
      await published(source, eventLog, 1)
      const all = groups.map((group) => watched(group, connected()))
      for (const { projector } of all) await projector.waitFor(before)
      const offset = await eventLog.end('blocks')
      const good = goodNext(chainOf(next))
      const values = poison.values(good).map((value) => ({ key: '1', value }))
      await eventLog.append('blocks', values)

      await until('both are stuck', () => all.every(({ projector }) => projector.status().stuck))
      const wrong = offset + values.length - 1
      for (const { group, projector, lines, stuckMetric, ready } of all) {
        const { stuck } = projector.status()
        expect(stuck).toMatchObject({ reason: poison.reason, sequence: next, offset: wrong })
        expect(await stuckMetric()).toBe(1)
        const line = lines.find(({ event }) => event === events.projector.stuck)
        expect(line).toMatchObject({ group: group.name, offset: wrong, runbook: runbooks.stuck })
        expect(await ready()).toMatchObject({
          reason: 'stuck',
          sentence: expect.stringContaining(`${group.name} waits for a valid message ${next}`),
        })
      }

      source.grow(1, [tokenAddress(1)])
      source.grow(1, [tokenAddress(2)])
      expect(await published(source, eventLog, next)).toEqual({ to: next + 1, block: before + 1 })
      for (const { projector, lines, stuckMetric, ready } of all) {
        await projector.waitFor(next + 1)
        expect(projector.status().stuck).toBeNull()
        expect(await stuckMetric()).toBe(0)
        expect(lines.map(({ event }) => event)).toContain(events.projector.unstuck)
        expect(await ready()).toBeNull()
      }
      for (const { projector } of all) await projector.stop()
      expect(all.map(({ store }) => store.readAll())).toEqual(await calmTables(source))
      for (const own of [eventLog, ...all.map((each) => each.eventLog)]) await own.close()
    },
  )
}

/** The message that would come next, published by another process: with another hash than ours. */
function goodNext(source: SourceOfValues): Wire {
  const block = source.blocks.get(before)
  if (block === undefined) throw new Error('the source is too short')
  const { chainId } = source
  return { kind: 'block.applied', sequence: next, chainId, block, tokens: [], contracts: [] }
}
