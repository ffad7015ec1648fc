import { expect, it } from 'vitest'
import { memoryEventLog } from '../../libs/adapters/memory/memory-event-log.ts'
import { memoryStateStore } from '../../libs/adapters/memory/memory-state-store.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import { chainInLog } from '../../test/support/chain-in-log.ts'
import { SourceOfValues } from '../../test/support/source-of-values.ts'
import { startRepair } from './repair.ts'

function chainOf(count: number): SourceOfValues {
  const source = new SourceOfValues()
  source.endsAtHead = false
  for (let number = 0; number < count; number++) source.grow(1)
  return source
}

async function repaired(source: SourceOfValues, log: EventLog, from: number) {
  const repair = await startRepair({ source, log, from, state: memoryStateStore() })
  try {
    return await repair.repaired
  } finally {
    await repair.stop()
  }
}

const spoil = (log: EventLog, text: string) =>
  log.append('blocks', [{ key: '1', value: Buffer.from(text) }])

it('publishes from the message that comes next, up to the head that a living source had', async () => {
  const log = memoryEventLog()
  const source = chainOf(5)
  expect(await repaired(source, log, 1)).toEqual({ to: 5, block: 4 })
  await spoil(log, 'no message')
  source.grow(1)
  source.grow(1)
  const grown = source.head.bind(source)
  source.head = async () => {
    const head = await grown()
    // It grows on while it is read.
    if (head === 6) source.grow(1)
    return head
  }
  expect(await repaired(source, log, 6)).toEqual({ to: 7, block: 6 })
  const { accepted, skipped } = await chainInLog(log)
  expect(accepted.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(skipped).toHaveLength(1)
})

it('follows a fork that the source took meanwhile', async () => {
  const log = memoryEventLog()
  const source = chainOf(5)
  await repaired(source, log, 1)
  source.fork(2, 3, 2)
  await spoil(log, '{}')
  expect(await repaired(source, log, 6)).toEqual({ to: 10, block: 5 })
  expect((await chainInLog(log)).head?.hash).toBe(source.blocks.get(5)?.hash)
})

it('says which message comes next, and that nothing was published, if it is told another', async () => {
  const log = memoryEventLog()
  const source = chainOf(5)
  await repaired(source, log, 1)
  source.grow(1)
  await expect(repaired(source, log, 9)).rejects.toThrow('accepts message 6 next, not 9')
  await expect(repaired(source, log, 9)).rejects.toThrow('--from 6')
  await expect(repaired(source, log, 5)).rejects.toThrow('message 5 stands in it and counts')
  expect(await log.end('blocks')).toBe(5)
})

it('has nothing to do where the log has all of it', async () => {
  const log = memoryEventLog()
  await repaired(chainOf(5), log, 1)
  expect(await repaired(chainOf(5), log, 6)).toEqual({ to: 5, block: 4 })
  expect(await log.end('blocks')).toBe(5)
})
