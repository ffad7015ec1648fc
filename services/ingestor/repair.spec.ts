import { expect, it } from 'vitest'
import type { EventLog } from '../../libs/ports/event-log.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { memoryStateStore } from '../../libs/ports/testing/memory-state-store.ts'
import { chainInLog } from '../../test/support/chain-in-log.ts'
import { SourceOfValues } from '../../test/support/source-of-values.ts'
import { repairInMemory } from './testing/start-in-memory.ts'

function chainOf(count: number): SourceOfValues {
  const source = new SourceOfValues()
  source.endsAtHead = false
  for (let number = 0; number < count; number++) source.grow(1)
  return source
}

interface RunOptions {
  readonly isForced?: boolean
}

async function repaired(
  source: SourceOfValues,
  eventLog: EventLog,
  { from, ...options }: RunOptions & { readonly from: number },
) {
  const repair = await repairInMemory({
    source,
    eventLog,
    from,
    state: memoryStateStore(),
    ...options,
  })
  try {
    return await repair.repaired
  } finally {
    await repair.stop()
  }
}

const spoil = (eventLog: EventLog, text: string) =>
  eventLog.append('blocks', [{ key: '1', value: Buffer.from(text) }])

it('publishes from the message that comes next, up to the head that a living source had', async () => {
  const eventLog = memoryEventLog()
  const source = chainOf(5)
  expect(await repaired(source, eventLog, { from: 1 })).toEqual({ to: 5, block: 4 })
  await spoil(eventLog, 'no message')
  source.grow(1)
  source.grow(1)
  const grown = source.head.bind(source)
  source.head = async () => {
    const head = await grown()
    // It grows on while it is read.
    if (head === 6) source.grow(1)
    return head
  }
  expect(await repaired(source, eventLog, { from: 6 })).toEqual({ to: 7, block: 6 })
  const { accepted, skipped } = await chainInLog(eventLog)
  expect(accepted.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(skipped).toHaveLength(1)
})

it('follows a fork that the source took meanwhile', async () => {
  const eventLog = memoryEventLog()
  const source = chainOf(5)
  await repaired(source, eventLog, { from: 1 })
  source.fork(2, 3, 2)
  await spoil(eventLog, '{}')
  expect(await repaired(source, eventLog, { from: 6, isForced: true })).toEqual({
    to: 10,
    block: 5,
  })
  expect((await chainInLog(eventLog)).head?.hash).toBe(source.blocks.get(5)?.hash)
})

it('undoes one block without being forced to, and reports which', async () => {
  const eventLog = memoryEventLog()
  const source = chainOf(5)
  await repaired(source, eventLog, { from: 1 })
  source.fork(1, 3, 2)
  const repair = await repairInMemory({ source, eventLog, from: 6 })
  expect(repair.undone).toMatchObject({ first: 4, last: 4, blocks: 1 })
  await repair.repaired
  await repair.stop()
  expect((await chainInLog(eventLog)).head?.hash).toBe(source.blocks.get(6)?.hash)
})

it('does not undo more without being forced to: it reports how much, and publishes nothing', async () => {
  const eventLog = memoryEventLog()
  const source = chainOf(5)
  await repaired(source, eventLog, { from: 1 })
  source.fork(3, 3, 2)
  await expect(repaired(source, eventLog, { from: 6 })).rejects.toThrow(
    'blocks 2 to 4 of the log: 3 blocks with 3 transactions would be undone',
  )
  expect(await eventLog.end('blocks')).toBe(5)
})

it('does not undo more than that either where the source leaves more while it begins', async () => {
  const eventLog = memoryEventLog()
  const source = chainOf(5)
  await repaired(source, eventLog, { from: 1 })
  source.fork(1, 3, 2)
  const firstSeen = source.hash.bind(source)
  let isCounted = false
  source.hash = async (number) => {
    // The questions about what would be undone end with the first block.
    if (number === 0) isCounted = true
    else if (isCounted && source.blocks.size === 7) source.fork(6, 9, 3)
    return firstSeen(number)
  }
  await expect(repaired(source, eventLog, { from: 6 })).rejects.toThrow('at most 1 can be undone')
  expect(await eventLog.end('blocks')).toBe(5)
})

it('reports the next message, and that nothing was published, if another one is given', async () => {
  const eventLog = memoryEventLog()
  const source = chainOf(5)
  await repaired(source, eventLog, { from: 1 })
  source.grow(1)
  await expect(repaired(source, eventLog, { from: 9 })).rejects.toThrow(
    'accepts message 6 next, not 9',
  )
  await expect(repaired(source, eventLog, { from: 9 })).rejects.toThrow('--from 6')
  await expect(repaired(source, eventLog, { from: 5 })).rejects.toThrow(
    'message 5 is already in the log; the next missing one is 6',
  )
  expect(await eventLog.end('blocks')).toBe(5)
})

it('has nothing to do where the log has all of it', async () => {
  const eventLog = memoryEventLog()
  await repaired(chainOf(5), eventLog, { from: 1 })
  expect(await repaired(chainOf(5), eventLog, { from: 6 })).toEqual({ to: 5, block: 4 })
  expect(await eventLog.end('blocks')).toBe(5)
})
