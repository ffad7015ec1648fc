import { setImmediate as turn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { StoreFailed } from '../../../libs/ports/store.ts'
import { memoryCache } from '../../../libs/ports/testing/memory-cache.ts'
import { anAddress, aTransaction } from '../../../libs/presenters/testing/rows.ts'
import type { ListedTransaction } from '../../../libs/tables/tables/transactions.ts'
import { bucketOf } from '../../../libs/topics/changes.ts'
import { testApi } from '../testing/test-api.ts'
import { askingMax, type LeaseOutcome, SingleFlight } from './single-flight.ts'

const person = anAddress(0xa1)
const transactions = `/api/v2/addresses/${person}/transactions`
const moved = { transactions_by_address: [bucketOf(person)] }

/** What others wait for at most, and then some. */
const longMs = 200

/** Two processes with one cache, whose reads of the table and time a test controls. */
function processes() {
  let now = 0
  const pauses: { readonly until: number; readonly end: () => void }[] = []
  const pause = (ms: number) =>
    new Promise<void>((end) => void pauses.push({ until: now + ms, end }))
  const cache = memoryCache({ bytesMax: 1_000_000, now: () => now })
  const [one, other] = [process(), process()]

  function process() {
    const reads: { readonly end: () => void; readonly fail: () => void }[] = []
    const transactionsOfAddress = () =>
      new Promise<readonly ListedTransaction[]>((resolve, reject) => {
        const end = () => resolve([aTransaction({ blockNumber: 100 })])
        reads.push({ end, fail: () => reject(new StoreFailed('no such column')) })
      })
    const api = testApi({ transactionsOfAddress }, { cache, time: { now: () => now, pause } })
    const head = (at: number, changes: Record<string, number[]> = {}) => {
      for (const group of ['ledger', 'state'] as const) api.announce(group, at, { moved: changes })
    }
    const leases = async () =>
      (await api.counted()).match(/^foldscan_page_leases_total.*$/gm)?.sort() ?? []
    return { ...api, reads, head, leases }
  }

  /** Milliseconds, one after the other, and what follows from each. */
  async function pass(ms: number): Promise<void> {
    for (const end = now + ms; now < end; now++) {
      for (const due of pauses.filter(({ until }) => until === now)) due.end()
      await settled()
    }
  }

  /** Both have served the page, and have then heard that it changed. */
  async function stale(): Promise<void> {
    for (const { head } of [one, other]) head(1)
    const asking = one.ask(transactions)
    await settled()
    one.reads[0]?.end()
    await asking
    await other.ask(transactions)
    for (const { head } of [one, other]) head(2, moved)
  }

  return { one, other, cache, pass, stale }
}

/** Until what was caused has happened, as far as it waits for no read and no pause. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 8; turns++) await turn()
}

test('a stale page is loaded by one process, and the other one takes it from there', async () => {
  const { one, other, pass, stale } = processes()
  await stale()
  const first = one.ask(transactions)
  await settled()
  const second = other.ask(transactions)
  await pass(30)
  expect([one.reads.length, other.reads.length]).toEqual([2, 0])
  one.reads[1]?.end()
  await pass(longMs)
  expect((await second).body.equals((await first).body)).toBe(true)
  expect(other.reads).toHaveLength(0)
  expect(await one.leases()).toEqual(['foldscan_page_leases_total{outcome="taken"} 1'])
  expect(await other.leases()).toEqual(['foldscan_page_leases_total{outcome="waited"} 1'])
})

test('a page that no cache has needs no lease, nor does one that is current', async () => {
  const { one, other } = processes()
  for (const { head } of [one, other]) head(1)
  const asking = [one, other].map(({ ask }) => ask(transactions))
  await settled()
  expect([one.reads.length, other.reads.length]).toEqual([1, 1])
  for (const { reads } of [one, other]) reads[0]?.end()
  await Promise.all(asking)
  await other.ask(transactions)
  expect([await one.leases(), await other.leases()]).toEqual([[], []])
})

test('a process that ended while it loaded a page delays others no longer than its lease', async () => {
  const { one, other, pass, stale } = processes()
  await stale()
  void one.ask(transactions)
  await settled()
  const second = other.ask(transactions)
  await pass(90)
  expect(other.reads).toHaveLength(0)
  await pass(longMs - 90)
  expect(other.reads).toHaveLength(1)
  other.reads[0]?.end()
  expect((await second).status).toBe(200)
  expect(await other.leases()).toEqual(['foldscan_page_leases_total{outcome="taken"} 1'])
})

test('a process that loads slowly delays others no longer than a lease', async () => {
  const { one, other, cache, pass, stale } = processes()
  await stale()
  const looks = vi.spyOn(cache, 'isLeased').mockResolvedValue(true)
  const entries = vi.spyOn(cache, 'get')
  const first = one.ask(transactions)
  await settled()
  const second = other.ask(transactions)
  await pass(longMs)
  expect(looks).toHaveBeenCalledTimes(4)
  expect(entries).toHaveBeenCalledTimes(2)
  expect(other.reads).toHaveLength(1)
  one.reads[1]?.end()
  other.reads[0]?.end()
  expect([(await first).status, (await second).status]).toEqual([200, 200])
  expect(await other.leases()).toEqual(['foldscan_page_leases_total{outcome="wait timed out"} 1'])
})

test('the next load finds no lease of one that has ended, nor of one that failed', async () => {
  const { one, other, stale } = processes()
  await stale()
  const failing = one.ask(transactions)
  await settled()
  one.reads[1]?.fail()
  expect((await failing).status).toBe(503)
  const second = other.ask(transactions)
  await settled()
  expect(other.reads).toHaveLength(1)
  other.reads[0]?.end()
  expect((await second).status).toBe(200)
  for (const { head } of [one, other]) head(3, moved)
  const third = one.ask(transactions)
  await settled()
  expect(one.reads).toHaveLength(3)
  one.reads[2]?.end()
  expect((await third).status).toBe(200)
})

test('a process without an answer of the cache loads the page at once', async () => {
  const { one, other, cache, stale } = processes()
  await stale()
  vi.spyOn(cache, 'lease').mockResolvedValue('unanswered')
  const releases = vi.spyOn(cache, 'release')
  const asking = [one, other].map(({ ask }) => ask(transactions))
  await settled()
  expect([one.reads.length, other.reads.length]).toEqual([2, 1])
  one.reads[1]?.end()
  other.reads[0]?.end()
  await Promise.all(asking)
  // They may have taken it.
  expect(new Set(releases.mock.calls.map(([, owner]) => owner)).size).toBe(2)
  expect(await one.leases()).toEqual(['foldscan_page_leases_total{outcome="unanswered"} 1'])
})

test('what the other process wrote is not taken if it has changed since', async () => {
  const { one, other, pass, stale } = processes()
  await stale()
  const first = one.ask(transactions)
  await settled()
  other.head(3, moved)
  const second = other.ask(transactions)
  await pass(20)
  one.reads[1]?.end()
  await first
  await pass(longMs)
  expect(other.reads).toHaveLength(1)
  other.reads[0]?.end()
  expect((await second).status).toBe(200)
})

test('pages beyond those that may wait at a time are loaded at once', async () => {
  const outcomes: LeaseOutcome[] = []
  const cache = memoryCache({ bytesMax: 1_000_000, now: () => 0 })
  const pauses: (() => void)[] = []
  const pause = () => new Promise<void>((end) => void pauses.push(end))
  const flight = new SingleFlight({
    cache,
    onLease: (outcome) => outcomes.push(outcome),
    time: { now: () => 0, pause },
  })
  const read = async () => 'of another'
  const keys = Array.from({ length: askingMax }, (_, at) => `page ${at}`)
  for (const key of keys) await cache.lease(key, 'another', 1)
  const waiting = keys.map((key) => flight.before(key, read))
  await settled()
  expect(await flight.before('one more', read)).toBeNull()
  expect(outcomes).toEqual(['too many'])
  for (const key of keys) await cache.release(key, 'another')
  for (const end of pauses) end()
  expect(await Promise.all(waiting)).toEqual(keys.map(() => 'of another'))
  expect(await flight.before('one more', read)).toBeNull()
  expect(outcomes.at(-1)).toBe('taken')
})
