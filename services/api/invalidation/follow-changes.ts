import type { Cache } from '../../../libs/ports/cache.ts'
import { type EventLog, OffsetLost } from '../../../libs/ports/event-log.ts'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import { pause } from '../../../libs/signals/pause.ts'
import { announcement } from '../../../libs/topics/changes.ts'
import type { HeadOfGroups } from './head.ts'
import type { InvalidationClock } from './invalidation-clock.ts'

const topic = 'changes'
const readLimit = { messagesMax: 100, bytesMax: 16 * 1024 * 1024 }
const retryAfterMs = 1_000

export interface FollowChangesOptions {
  readonly eventLog: EventLog
  readonly head: HeadOfGroups
  readonly clock: InvalidationClock
  readonly log: Log
  readonly signal: AbortSignal
  /** Cleared when the topic was recreated, as its pages count offsets of the old one. */
  readonly cache?: Cache
  /** Reads the progress of the groups after announcements were missed. */
  readonly onMissed?: () => Promise<void>
}

/**
 * Replays the last `announcementsMax` announcements, so that entries which other processes have
 * cached since can be checked; older entries count as stale.
 */
export async function replayRecent(
  announcementsMax: number,
  options: FollowChangesOptions,
): Promise<void> {
  const { eventLog, clock, signal } = options
  const [begin, end] = [await eventLog.begin(topic), await eventLog.end(topic)]
  clock.seek(Math.max(begin, end - announcementsMax))
  while (!signal.aborted && clock.now.offset < end) {
    if ((await readMore(options)) === 0) clock.seek(end)
  }
}

/** Consumes `changes` from the current offset until the signal aborts. */
export async function followChanges(options: FollowChangesOptions): Promise<void> {
  const { eventLog, clock, log, signal } = options
  while (!signal.aborted) {
    try {
      await eventLog.waitBeyond(topic, clock.now.offset, signal)
      if (signal.aborted) return
      if ((await readMore(options)) === 0) await pause(retryAfterMs, signal)
      if (clock.hasGap) await options.onMissed?.()
    } catch (error) {
      if (signal.aborted) return
      log.warn({ event: events.api.failed, error }, 'cannot consume topic changes: retrying')
      // Messages removed by retention were missed; a recreated topic has offsets of its own.
      if (error instanceof OffsetLost) {
        await options.cache?.clear()
        clock.seek(error.range.begin)
      } else await pause(retryAfterMs, signal)
    }
  }
}

/** @returns the number of announcements read. */
async function readMore(options: FollowChangesOptions): Promise<number> {
  const messages = await options.eventLog.read(topic, options.clock.now.offset, readLimit)
  for (const { offset, value } of messages) apply(offset, value, options)
  return messages.length
}

function apply(
  offset: number,
  value: Uint8Array,
  { head, clock, log }: Pick<FollowChangesOptions, 'head' | 'clock' | 'log'>,
): void {
  const read = announcement.safeParse(parsed(value))
  clock.apply(offset, read.success ? read.data : null)
  if (read.success) head.apply(read.data)
  else log.warn({ event: events.api.failed }, 'unreadable announcement: invalidated everything')
}

function parsed(value: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(value).toString('utf8'))
  } catch {
    return null
  }
}
