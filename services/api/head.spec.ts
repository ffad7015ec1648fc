import { expect, test } from 'vitest'
import { memoryEventLog } from '../../libs/adapters/memory/memory-event-log.ts'
import { position } from '../../libs/chain/position.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { followChanges, HeadOfGroups } from './head.ts'
import { Moved } from './moved.ts'

const family = 'token_state'

async function following(announcements: readonly unknown[]) {
  const log = memoryEventLog()
  const announce = (announcement: unknown) =>
    log.append('changes', [{ key: 'g', value: Buffer.from(JSON.stringify(announcement)) }])
  for (const announcement of announcements) await announce(announcement)
  const head = new HeadOfGroups()
  const moved = new Moved([family])
  const ending = new AbortController()
  const follower = { log, head, moved, signals: silentLog, signal: ending.signal }
  const following = followChanges(0, follower)
  const reach = (at: number) =>
    expect.poll(() => head.position, { interval: 1, timeout: 2_000 }).toBe(at)
  const stop = async () => {
    ending.abort()
    await following
  }
  return { announce, head, moved, reach, stop }
}

const said = (group: string, at: number, moved: unknown = {}) => {
  const hash = `0x${'0'.repeat(64)}`
  return { group, position: at, block: 100 + at, hash, time: 1_000 + at, moved }
}

test('has a head once both groups have spoken: the lower of theirs', async () => {
  const ledgerOnly = new HeadOfGroups()
  ledgerOnly.hear({ group: 'ledger', position: position(7), block: 107, time: 1_007 })
  expect(ledgerOnly.head).toBeNull()
  const both = await following([said('dimensions', 1), said('ledger', 7), said('state', 5)])
  await both.reach(5)
  expect(both.head.head).toEqual({ block: 105, time: 1_005 })
  expect(both.head.name).toBe('7.5.1')
  await both.stop()
})

test('hears what is announced later, and takes what it cannot read for everything', async () => {
  const { announce, moved, reach, stop } = await following([said('ledger', 1), said('state', 1)])
  await reach(1)
  const read = moved.now
  await announce(said('ledger', 2))
  await announce({ broken: true })
  await announce(said('state', 2))
  await reach(2)
  expect(moved.isStill(family, 'x', read)).toBe(false)
  await stop()
})

test('is not led back by what is told late', () => {
  const head = new HeadOfGroups()
  for (const at of [9, 8]) {
    head.hear({ group: 'ledger', position: position(at), block: at, time: at })
    head.hear({ group: 'state', position: position(at), block: at, time: at })
  }
  expect(head.head).toEqual({ block: 9, time: 9 })
})

test('goes back with the groups when blocks are orphaned', () => {
  const head = new HeadOfGroups()
  for (const group of ['ledger', 'state'] as const) {
    head.hear({ group, position: position(9), block: 9, time: 9 })
    head.hear({ group, position: position(10), block: 8, time: 8 })
  }
  expect(head.head).toEqual({ block: 8, time: 8 })
})

test('keeps a block whose time nobody told', () => {
  const head = new HeadOfGroups()
  for (const group of ['ledger', 'state'] as const) {
    head.hear({ group, position: position(9), block: 9, time: null })
  }
  expect(head.head).toEqual({ block: 9, time: null })
})

test('goes on with a topic that was made anew, and takes everything for moved', async () => {
  const log = memoryEventLog()
  const head = new HeadOfGroups()
  const moved = new Moved([family])
  const ending = new AbortController()
  const signal = ending.signal
  for (const group of ['ledger', 'state'])
    await log.append('changes', [
      { key: group, value: Buffer.from(JSON.stringify(said(group, 3))) },
    ])
  const read = moved.now
  const following = followChanges(900, { log, head, moved, signals: silentLog, signal })
  await expect.poll(() => head.position, { interval: 1, timeout: 500 }).toBe(3)
  expect(moved.isStill(family, 'x', read)).toBe(false)
  ending.abort()
  await following
})
