import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryEventLog } from '../../../libs/adapters/memory/memory-event-log.ts'
import { LogUnavailable } from '../../../libs/ports/event-log.ts'
import { type Store, StoreUnavailable } from '../../../libs/ports/store.ts'
import { abortableLog, abortableStore } from './abortable.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = () => new Promise<never>(() => {})
const silent: Store = {
  insert: never,
  query: never,
  execute: never,
  ping: never,
  close: async () => {},
}

describe('a process that stops', () => {
  it('waits 2 s for what servers have not answered, and then no longer', async () => {
    const stop = new AbortController()
    const log = abortableLog({ ...memoryEventLog(), read: never }, stop.signal)
    const store = abortableStore(silent, stop.signal)
    const outcomes: unknown[] = []
    log.read('blocks', 0, { messagesMax: 1, bytesMax: 1 }).catch((error) => outcomes.push(error))
    store.insert('blocks', [], Buffer.alloc(0)).catch((error) => outcomes.push(error))
    await vi.advanceTimersByTimeAsync(60_000)
    stop.abort()
    await vi.advanceTimersByTimeAsync(1_900)
    expect(outcomes).toEqual([])
    await vi.advanceTimersByTimeAsync(200)
    expect(outcomes).toEqual([expect.any(LogUnavailable), expect.any(StoreUnavailable)])
  })

  it('asks nothing more after that', async () => {
    const stop = new AbortController()
    const log = abortableLog(memoryEventLog(), stop.signal)
    expect(await log.end('blocks')).toBe(0)
    stop.abort()
    expect(await log.end('blocks')).toBe(0)
    await vi.advanceTimersByTimeAsync(2_000)
    await expect(log.end('blocks')).rejects.toBeInstanceOf(LogUnavailable)
  })
})
