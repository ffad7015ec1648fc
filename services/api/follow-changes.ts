import type { Cache } from '../../libs/ports/cache.ts'
import { type EventLog, OffsetLost } from '../../libs/ports/event-log.ts'
import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import { announcement } from '../../libs/topics/changes.ts'
import type { HeadOfGroups } from './head.ts'
import type { Moved } from './moved.ts'

const topic = 'changes'
const readLimit = { messagesMax: 100, bytesMax: 16 * 1024 * 1024 }
const retryAfterMs = 1_000

export interface Follower {
  readonly log: EventLog
  readonly head: HeadOfGroups
  readonly moved: Moved
  readonly signals: Log
  readonly signal: AbortSignal
  /** Emptied where the log is another one, as its pages count the offsets of the old one. */
  readonly cache?: Cache
  /** Asks how far the groups are, after announcements were missed. */
  readonly onMissed?: () => Promise<void>
}

/**
 * Hears the last `announcementsMax` announcements before now, so that what others have read since
 * can be judged; older entries count as moved.
 */
export async function hearRecent(announcementsMax: number, follower: Follower): Promise<void> {
  const { log, moved, signal } = follower
  const [begin, end] = [await log.begin(topic), await log.end(topic)]
  moved.beginAt(Math.max(begin, end - announcementsMax))
  while (!signal.aborted && moved.now.offset < end) {
    if ((await hearMore(follower)) === 0) moved.beginAt(end)
  }
}

/** Follows `changes` from where it was heard to, until the signal aborts. */
export async function followChanges(follower: Follower): Promise<void> {
  const { log, moved, signals, signal } = follower
  while (!signal.aborted) {
    try {
      await log.waitBeyond(topic, moved.now.offset, signal)
      if (signal.aborted) return
      if ((await hearMore(follower)) === 0) await paused(signal)
      if (moved.isBehind) await follower.onMissed?.()
    } catch (error) {
      if (signal.aborted) return
      signals.warn({ event: events.api.failed, error }, 'could not follow changes; trying again')
      // What was cut off was missed; a topic that was made anew has offsets of its own.
      if (error instanceof OffsetLost) {
        await follower.cache?.clear()
        moved.beginAt(error.range.begin)
      } else await paused(signal)
    }
  }
}

/** @returns how many announcements were there. */
async function hearMore(follower: Follower): Promise<number> {
  const messages = await follower.log.read(topic, follower.moved.now.offset, readLimit)
  for (const { offset, value } of messages) hear(offset, value, follower)
  return messages.length
}

function hear(offset: number, value: Uint8Array, { head, moved, signals }: Follower): void {
  const read = announcement.safeParse(parsed(value))
  moved.hear(offset, read.success ? read.data : null)
  if (read.success) head.hear(read.data)
  else signals.warn({ event: events.api.failed }, 'an announcement cannot be read: all moved')
}

function parsed(value: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(value).toString('utf8'))
  } catch {
    return null
  }
}

const paused = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(ended, retryAfterMs)
    signal.addEventListener('abort', ended, { once: true })
    function ended() {
      clearTimeout(timer)
      signal.removeEventListener('abort', ended)
      resolve()
    }
  })
