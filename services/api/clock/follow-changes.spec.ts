import { afterEach, expect, test, vi } from 'vitest'
import { StoreUnavailable } from '../../../libs/ports/store.ts'
import { memoryEventLog } from '../../../libs/ports/testing/memory-event-log.ts'
import { BlockStage, seenHeaders } from '../../../libs/signals/block-stage.ts'
import { type LogFields, silentLog } from '../../../libs/signals/log.ts'
import { startMetrics } from '../../../libs/signals/metrics.ts'
import { type GroupName, groupId } from '../../../libs/tables/declare/group-versions.ts'
import {
  type FollowChangesOptions,
  followChanges,
  HeadOfGroups,
  replayRecent,
} from './follow-changes.ts'
import { InvalidationClock } from './invalidation-clock.ts'

const family = 'token_state'

afterEach(() => void vi.useRealTimers())

/** Follows a log that holds these, from its beginning or as far back as `recentMax`. */
async function following(
  announcements: readonly unknown[],
  recentMax = 1_000,
  further: Partial<FollowChangesOptions> = {},
) {
  const eventLog = memoryEventLog()
  const announce = (announcement: unknown, seen: number | null = null) => {
    const value = Buffer.from(JSON.stringify(announcement))
    return eventLog.append('changes', [{ key: 'g', value, ...seenHeaders(seen) }])
  }
  for (const announcement of announcements) await announce(announcement)
  const head = new HeadOfGroups()
  const clock = new InvalidationClock([{ name: family, group: 'state' }])
  const ending = new AbortController()
  const follower = {
    ...{ eventLog, head, clock, log: silentLog, signal: ending.signal },
    ...further,
  }
  await replayRecent(recentMax, follower)
  const begin = () => {
    const following = followChanges(follower)
    return async () => {
      ending.abort()
      await following
    }
  }
  const reach = (at: number) =>
    expect.poll(() => head.position, { interval: 1, timeout: 50_000 }).toBe(at)
  return { announce, head, clock, reach, begin }
}

const said = (group: GroupName, at: number, moved: unknown = {}) => {
  const hash = `0x${'0'.repeat(64)}`
  return {
    group: groupId(group),
    after: at - 1,
    position: at,
    block: 100 + at,
    hash,
    time: 1_000 + at,
    facts: null,
    moved,
  }
}

test('replays recent announcements before requests are answered', async () => {
  const { head, clock } = await following(
    [said('ledger', 7), said('state', 5), said('state', 6)],
    2,
  )
  expect(head.head).toBeNull()
  expect(clock.now.offset).toBe(3)
  expect(clock.isUnchanged(family, 'x', { epoch: 0, offset: 1 })).toBe(true)
  expect(clock.isUnchanged(family, 'x', { epoch: 0, offset: 0 })).toBe(false)
})

test('applies later announcements, an unreadable one as a change of everything', async () => {
  const { announce, clock, reach, begin } = await following([said('ledger', 1), said('state', 1)])
  const stop = begin()
  const read = clock.now
  await announce(said('ledger', 2))
  await announce({ broken: true })
  await announce(said('state', 2))
  await reach(2)
  expect(clock.isUnchanged(family, 'x', read)).toBe(false)
  await stop()
})

test('continues with a recreated topic, and counts everything as changed', async () => {
  const { announce, clock, reach, begin } = await following([])
  clock.seek(900)
  const read = clock.now
  for (const group of ['ledger', 'state'] as const) await announce(said(group, 3))
  const stop = begin()
  await reach(3)
  expect(clock.isUnchanged(family, 'x', read)).toBe(false)
  await stop()
})

test('reads what it missed again until it can, without another announcement', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const sentences: string[] = []
  const log = { ...silentLog, warn: (_: LogFields, sentence: string) => sentences.push(sentence) }
  let reads = 0
  const onMissed = async () => {
    reads += 1
    if (reads < 3) throw new StoreUnavailable('not now')
    closeGaps()
  }
  const { announce, clock, begin } = await following([], 1_000, { onMissed, log })
  const closeGaps = () => {
    for (const group of ['ledger', 'state', 'dimensions'] as const) clock.closeGap(group)
  }
  closeGaps()
  const stop = begin()
  await announce({ broken: true })
  await vi.advanceTimersByTimeAsync(0)
  expect(reads).toBe(1)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(reads).toBe(2)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(reads).toBe(3)
  expect(clock.hasGap).toBe(false)
  const failed = 'announcements were missed, and the progress cannot be read: retrying'
  expect(sentences.slice(1)).toEqual([failed, failed])
  await stop()
})

test('a block is visible once both groups have announced it, and measured once', async () => {
  const metrics = startMetrics()
  const visible = new BlockStage(metrics, 'visible')
  const { announce, reach, begin } = await following([], 1_000, { visible })
  const stop = begin()
  const values = async () => {
    const all = (await metrics.blockStageSeconds.get()).values
    return all.filter(({ metricName }) => /_(?:count|sum)$/.test(metricName ?? ''))
  }
  const seen = Date.now() + 60_000
  await announce(said('ledger', 1), seen)
  await announce(said('ledger', 2), seen)
  await announce(said('state', 1), seen)
  await reach(1)
  expect((await values()).map(({ value }) => value)).toEqual([0, 1])
  await announce(said('state', 2), seen)
  await announce(said('state', 2), seen)
  await reach(2)
  expect((await values()).map(({ value }) => value)).toEqual([0, 2])
  await stop()
})
