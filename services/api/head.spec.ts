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
  const { done } = await followChanges({
    log,
    head,
    moved,
    signals: silentLog,
    signal: ending.signal,
  })
  const stop = async () => {
    ending.abort()
    await done
  }
  return { announce, head, moved, stop }
}

const said = (group: string, at: number, moved: unknown = {}) => {
  const hash = `0x${'0'.repeat(64)}`
  return { group, position: at, block: 100 + at, hash, time: 1_000 + at, moved }
}

test('has a head once both groups have spoken: the lower of theirs', async () => {
  const ledgerOnly = await following([said('ledger', 7)])
  expect(ledgerOnly.head.head).toBeNull()
  await ledgerOnly.stop()
  const both = await following([said('ledger', 7), said('state', 5), said('dimensions', 1)])
  expect(both.head.head).toEqual({ block: 105, time: 1_005 })
  expect(both.head.position).toBe(5)
  expect(both.head.name).toBe('7.5.1')
  await both.stop()
})

test('hears what is announced later, and takes what it cannot read for everything', async () => {
  const { announce, head, moved, stop } = await following([said('ledger', 1), said('state', 1)])
  const read = moved.now
  await announce(said('ledger', 2))
  await announce({ broken: true })
  await announce(said('state', 2))
  await expect.poll(() => head.position, { interval: 1, timeout: 2_000 }).toBe(2)
  expect(moved.isStill(family, 'x', read)).toBe(false)
  await stop()
})

test('goes back with the groups when blocks are orphaned', () => {
  const head = new HeadOfGroups()
  for (const group of ['ledger', 'state'] as const) {
    head.hear({ group, position: position(9), block: 9, time: 9 })
    head.hear({ group, position: position(10), block: 8, time: 8 })
  }
  expect(head.head).toEqual({ block: 8, time: 8 })
})
