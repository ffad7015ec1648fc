import { beforeEach, describe, expect, test } from 'vitest'
import { type Store, StoreUnavailable } from '../../libs/ports/store.ts'
import { events } from '../../libs/signals/events.ts'
import { type Log, silentLog } from '../../libs/signals/log.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import { projectorLimits } from './limits.ts'
import { retryingStore } from './retrying.ts'
import { removeWhere } from './row-removal.ts'
import { type MemoryMutation, MemoryStore } from './testing/memory-store.ts'
import { sent } from './testing/toy-group.ts'

const tables = ['sent']
const limits = { ...projectorLimits, removalPollMs: 0, removalPollMaxMs: 0, storeRetryMs: 0 }

describe('removing rows', () => {
  let store: MemoryStore
  let said: { event: unknown; message: string }[]
  let stopping: AbortController
  beforeEach(() => {
    store = new MemoryStore([sent])
    said = []
    stopping = new AbortController()
  })

  const signals: Log = {
    ...silentLog,
    info: (fields, message) => void said.push({ event: fields.event, message }),
  }
  const parts = (bounds: Partial<typeof limits> = {}, given: Store = store) => {
    const saying = { signals: silentLog, signal: stopping.signal, group: 'state' }
    const retried = retryingStore(given, limits, saying)
    const { signal } = stopping
    return { group: 'state', store: retried, signals, signal, limits: { ...limits, ...bounds } }
  }
  /** What is listed, poll by poll; the last one from then on. */
  const listed = (states: readonly ((one: MemoryMutation) => Partial<MemoryMutation> | null)[]) => {
    let answers = 0
    store.beforeMutations = (all) => {
      if (all.length === 0) return []
      // Three replicas are asked in each poll.
      const state = states[Math.min(Math.floor(answers++ / 3), states.length - 1)]
      return all.flatMap((one) => {
        const change = state?.(one) ?? null
        return change === null ? [] : [{ ...one, ...change }]
      })
    }
  }
  const undone = (partsLeft: number) => () => ({ isDone: false, partsLeft })
  const done = () => ({})

  test('waits until it is done, without holding a statement open, and says how far it is', async () => {
    const statements: string[] = []
    const execute = store.execute.bind(store)
    store.execute = async (sql) => {
      statements.push(sql)
      await execute(sql)
    }
    listed([undone(7), undone(7), undone(2), done])
    await removeWhere(parts(), tables, 'position > 5')
    expect(statements).toHaveLength(1)
    expect(statements[0]).toMatch(
      /^ALTER TABLE sent DELETE WHERE \(position > 5\) .*mutations_sync = 0$/,
    )
    expect(said.map(({ event }) => event)).toEqual(Array(2).fill(events.projector.removing))
    expect(said[0]?.message).toContain('0 of 1 tables done, 7 parts left')
    expect(said[1]?.message).toContain('2 parts left')
  })

  test('takes a replica that does not list the mutation yet for one that has not done it', async () => {
    let answers = 0
    store.beforeMutations = (all) => {
      if (all.length === 0) return []
      answers += 1
      // One of the three is late, twice.
      return answers === 2 || answers === 5 ? [] : all
    }
    await removeWhere(parts(), tables, 'position > 5')
    expect(answers).toBe(9)
  })

  test('is not done by what an earlier life has removed', async () => {
    await removeWhere(parts(), tables, 'position > 5')
    let polls = 0
    store.beforeMutations = (all) => {
      polls += 1
      return all.map((one, at) => ({ ...one, isDone: at === 0 || polls > 4 }))
    }
    await removeWhere(parts(), tables, 'position > 5')
    expect(polls).toBeGreaterThan(4)
  })

  test('is tried again while ClickHouse is away, and waits for all statements that were sent', async () => {
    let attempts = 0
    const execute = store.execute.bind(store)
    store.execute = async (sql) => {
      await execute(sql)
      attempts += 1
      if (attempts === 1) throw new StoreUnavailable('its answer was lost')
    }
    await removeWhere(parts(), tables, 'position > 5')
    expect(attempts).toBe(2)
  })

  test('ends with the reason that ClickHouse gives, and leaves no mutation that is tried for ever', async () => {
    const statements: string[] = []
    store.execute = async (sql) => void statements.push(sql)
    const other = { table: 'sent', command: '(UPDATE count = 1)', partsLeft: 1, isDone: false }
    store.beforeMutations = () => [{ ...other, failure: 'Code: 241. Memory limit exceeded' }]
    const removal = removeWhere(parts({ removalFailedPollsMax: 2 }), tables, 'position > 5')
    await expect(removal).rejects.toThrow(
      /did not remove rows of state: mutation mutation_0.txt of sent fails: Code: 241. Memory limit/,
    )
    await expect(removal).rejects.toThrow(runbooks.lostTail)
    const label = /notEmpty\('(.*)'\)/.exec(statements[0] ?? '')?.[1] ?? 'none'
    expect(statements.at(-1)).toMatch(/^KILL MUTATION /)
    expect(statements.at(-1)).toContain(label)
  })

  test('lets a failure pass that ClickHouse gets over', async () => {
    const failing = () => ({ isDone: false, partsLeft: 1, failure: 'Code: 241' })
    listed([failing, undone(1), failing, done])
    await removeWhere(parts({ removalFailedPollsMax: 2 }), tables, 'position > 5')
  })

  test('ends when it takes too long, and says what is left', async () => {
    listed([undone(3)])
    const removal = removeWhere(parts({ removalWaitMsMax: 0 }), tables, 'position > 5')
    await expect(removal).rejects.toThrow('not done within 0 ms in sent, 3 parts left')
  })

  test('ends when somebody killed the mutation', async () => {
    listed([undone(3), () => null])
    const removal = removeWhere(parts(), tables, 'position > 5')
    await expect(removal).rejects.toThrow('the mutation of sent was killed')
  })

  test('ends at once when the process has to', async () => {
    listed([undone(3)])
    const forever = { removalPollMs: 3_600_000, removalPollMaxMs: 3_600_000 }
    const removal = removeWhere(parts(forever), tables, 'position > 5')
    stopping.abort()
    await expect(removal).rejects.toThrow('aborted')
  })

  test('begins nothing without the right to see mutations', async () => {
    const statements: string[] = []
    store.execute = async (sql) => void statements.push(sql)
    store.beforeMutations = () => {
      throw new Error('not enough privileges')
    }
    const removal = removeWhere(parts(), tables, 'position > 5')
    await expect(removal).rejects.toThrow('not enough privileges')
    expect(statements).toEqual([])
  })
})
