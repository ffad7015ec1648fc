import { expect, test, vi } from 'vitest'
import type { Address } from '../../../libs/chain/hex.ts'
import { position } from '../../../libs/chain/position.ts'
import { StoreUnavailable } from '../../../libs/ports/store.ts'
import { anAddress } from '../../../libs/presenters/testing/rows.ts'
import { addressStateSubjects } from '../../../libs/queries/subjects.ts'
import { silentLog } from '../../../libs/signals/log.ts'
import { startMetrics } from '../../../libs/signals/metrics.ts'
import { groupId } from '../../../libs/tables/declare/group-versions.ts'
import { addressState } from '../../../libs/tables/tables/addresses.ts'
import { bucketOf } from '../../../libs/topics/changes.ts'
import { InvalidationClock } from '../clock/invalidation-clock.ts'
import { runOnAnswers } from '../testing/answers.ts'
import type { ReadContext } from './run-question.ts'
import { keepLoaded, SubjectFilter } from './subject-filter.ts'

const [contract, created, account] = [anAddress(0xc1), anAddress(0xc2), anAddress(0xa1)]

/** A filter of `subjects`, and announcements of changes. */
function filterOf(
  subjects: Set<Address>,
  { subjectsMax = 10, onRead = (_: ReadContext) => {} } = {},
) {
  const clock = new InvalidationClock([{ name: addressState.name, group: 'state' }])
  const answered = runOnAnswers({
    async addressStateSubjects({ after, limit }) {
      const sorted = [...subjects].sort()
      return sorted.filter((subject) => after === null || subject > after).slice(0, limit)
    },
  })
  const filter = new SubjectFilter({
    run(question, options, context) {
      onRead(context)
      return answered(question, options, context)
    },
    ...{ clock, subjectsMax, question: addressStateSubjects },
  })
  const change = (subject: Address) => {
    subjects.add(subject)
    const at = position(0)
    const none = { block: null, hash: null, time: null, facts: null }
    const moved = { [addressState.name]: [bucketOf(subject)] }
    clock.apply(clock.now.offset, {
      group: groupId('state'),
      after: at,
      position: at,
      ...none,
      moved,
    })
  }
  return { filter, change, clock }
}

test('excludes subjects without rows, once it is loaded', async () => {
  const { filter } = filterOf(new Set([contract]))
  expect(filter.excludes(account)).toBe(false)
  expect(await filter.load()).toBe(true)
  expect([filter.excludes(account), filter.excludes(contract)]).toEqual([true, false])
  expect(filter.count).toBe(1)
})

test('excludes no subject that has changed since, during the load included', async () => {
  const { filter, change } = filterOf(new Set([contract]), { onRead: () => during() })
  let during = () => change(created)
  await filter.load()
  expect(filter.excludes(created)).toBe(false)
  during = () => {}
  await filter.load()
  change(account)
  expect(filter.excludes(account)).toBe(false)
})

test('excludes nothing after a gap in the announcements', async () => {
  const { filter, clock } = filterOf(new Set())
  await filter.load()
  clock.apply(clock.now.offset + 5, null)
  expect(filter.excludes(account)).toBe(false)
})

test('is not loaded from a replica that is behind', async () => {
  const { filter } = filterOf(new Set(), {
    onRead(context) {
      context.isBehind = true
    },
  })
  await filter.load()
  expect([filter.count, filter.excludes(account)]).toEqual([null, false])
})

test('is off for a table with more subjects than its bound', async () => {
  const { filter } = filterOf(new Set([contract, created]), { subjectsMax: 1 })
  expect(await filter.load()).toBe(false)
  expect([filter.count, filter.excludes(account)]).toEqual([null, false])
})

test('is loaded again after a read that failed, until the end', async () => {
  vi.useFakeTimers()
  let reads = 0
  const { filter } = filterOf(new Set([contract]), {
    onRead() {
      reads += 1
      if (reads === 1) throw new StoreUnavailable('connection refused')
    },
  })
  const stopping = new AbortController()
  const metrics = startMetrics()
  const ended = keepLoaded([filter], { metrics, log: silentLog, signal: stopping.signal })
  await vi.advanceTimersByTimeAsync(59_000)
  expect([reads, filter.count]).toEqual([1, null])
  await vi.advanceTimersByTimeAsync(1_000)
  expect([reads, filter.count]).toEqual([2, 1])
  expect(await metrics.registry.metrics()).toContain(
    `foldscan_filtered_subjects{table="${addressState.name}"} 1`,
  )
  stopping.abort()
  await ended
  vi.useRealTimers()
})

test('is outdated when more than one lookup in twenty is of a changed subject', async () => {
  const { filter, change } = filterOf(new Set())
  expect(filter.isOutdated).toBe(true)
  await filter.load()
  change(created)
  for (let lookup = 0; lookup < 190; lookup++) filter.excludes(account)
  for (let lookup = 0; lookup < 10; lookup++) filter.excludes(created)
  expect(filter.isOutdated).toBe(false)
  filter.excludes(created)
  expect(filter.isOutdated).toBe(true)
  await filter.load()
  expect(filter.isOutdated).toBe(false)
})

test('never excludes a subject that the table has, of many', async () => {
  const subjects = Array.from({ length: 5_000 }, (_, at) => anAddress(at * 7_919))
  const { filter } = filterOf(new Set(subjects), { subjectsMax: 5_000 })
  await filter.load()
  expect(subjects.filter((subject) => filter.excludes(subject))).toEqual([])
  const others = Array.from({ length: 5_000 }, (_, at) => anAddress(at * 7_919 + 1))
  expect(others.filter((subject) => !filter.excludes(subject)).length).toBeLessThan(500)
})
