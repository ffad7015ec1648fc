import type { Cache } from '../../../libs/ports/cache.ts'
import { type EventLog, OffsetLost, type StoredMessage } from '../../../libs/ports/event-log.ts'
import type { Head } from '../../../libs/presenters/lookups.ts'
import { type BlockStage, seenIn } from '../../../libs/signals/block-stage.ts'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import { pause } from '../../../libs/signals/pause.ts'
import { type GroupName, groupOfId } from '../../../libs/tables/declare/group-versions.ts'
import { familiesOf } from '../../../libs/tables/declare/table.ts'
import { allTables } from '../../../libs/tables/tables/all-tables.ts'
import { type Announcement, announcement } from '../../../libs/topics/changes.ts'
import type { Family, InvalidationClock } from './invalidation-clock.ts'

/** The families whose changes this process follows: those of all tables that answers depend on. */
export const followedFamilies: readonly Family[] = allTables
  .filter(({ invalidatedWith }) => invalidatedWith === undefined)
  .flatMap((table) => familiesOf(table).map((name) => ({ name, group: table.group })))

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
  /** Reached by the blocks that an announcement lets responses show. */
  readonly visible?: BlockStage
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
      // What was missed is read again whether or not another announcement comes.
      if (!isBehind(options)) await eventLog.waitBeyond(topic, clock.now.offset, signal)
      if (signal.aborted) return
      if ((await readMore(options)) === 0) await pause(retryAfterMs, signal)
      if (signal.aborted) return
      if (isBehind(options)) await readMissed(options)
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

const isBehind = ({ clock, onMissed }: FollowChangesOptions): boolean =>
  clock.hasGap && onMissed !== undefined

/** From the tables: an error is theirs, not of the topic. */
async function readMissed({ onMissed, log, signal }: FollowChangesOptions): Promise<void> {
  try {
    await onMissed?.()
  } catch (error) {
    if (signal.aborted) return
    const sentence = 'announcements were missed, and the progress cannot be read: retrying'
    log.warn({ event: events.api.failed, error }, sentence)
  }
}

/** @returns the number of announcements read. */
async function readMore(options: FollowChangesOptions): Promise<number> {
  const messages = await options.eventLog.read(topic, options.clock.now.offset, readLimit)
  for (const message of messages) apply(message, options)
  return messages.length
}

function apply(
  { offset, value, headers }: StoredMessage,
  { head, clock, log, visible }: FollowChangesOptions,
): void {
  const { success, data = null } = announcement.safeParse(parsed(value))
  const before = head.position
  clock.apply(offset, data)
  if (data !== null) head.apply(data)
  if (!success)
    log.warn({ event: events.api.failed }, 'unreadable announcement: invalidated everything')
  if (head.position > before) visible?.reached(seenIn(headers))
}

function parsed(value: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(value).toString('utf8'))
  } catch {
    return null
  }
}

/** How far a group can be read: the part of an announcement that the head needs. */
export interface GroupProgress
  extends Pick<Announcement, 'position' | 'block' | 'time' | 'knownFrom'> {
  readonly group: GroupName
}

/** The newest block that both on-chain groups have written, from their announcements. */
export class HeadOfGroups {
  private readonly reached = new Map<GroupName, GroupProgress>()
  private readonly onHead: (head: Head) => void
  private current: Head | null = null

  constructor(onHead: (head: Head) => void = () => {}) {
    this.onHead = onHead
  }

  /** Ignores redelivered and late announcements: positions only grow. */
  apply(announced: Pick<Announcement, keyof GroupProgress>): void {
    const group = groupOfId(announced.group)
    // Of another version, whose tables this process does not read.
    if (group === null || announced.position < this.at(group)) return
    this.reached.set(group, { ...announced, group })
    this.current = this.reachedByAll()
    if (this.current !== null) this.onHead(this.current)
  }

  /** Null until both groups have announced a block. */
  get head(): Head | null {
    return this.current
  }

  /** Progress of each group that has announced any. */
  get groups(): readonly GroupProgress[] {
    return [...this.reached.values()]
  }

  private reachedByAll(): Head | null {
    const [ledger, state] = [this.reached.get('ledger'), this.reached.get('state')]
    if (ledger === undefined || state === undefined) return null
    const { block, time } = ledger.position < state.position ? ledger : state
    return block === null ? null : { block, time }
  }

  /** The lowest position of the on-chain groups; 0 until both have announced. */
  get position(): number {
    return Math.min(this.at('ledger'), this.at('state'))
  }

  /** The position from which rows of the state count: older ones precede a hole in the log. */
  get knownFrom(): number {
    return this.reached.get('state')?.knownFrom ?? 0
  }

  /** The newest hour of chain time with rates; 0: none. */
  get rateHour(): number {
    return rateHourOf(this.reached.get('dimensions')?.time ?? null)
  }

  private at(group: GroupName): number {
    return this.reached.get(group)?.position ?? 0
  }
}

/** Of the time that group `dimensions` has reached. */
export const rateHourOf = (time: number | null): number => Math.floor((time ?? 0) / 3_600)

/** The current window of chain time; null while that time is unknown, or for a length of 0 s. */
export const throttleWindow =
  (head: () => Head | null, windowSeconds: number): (() => number | null) =>
  () => {
    const time = head()?.time ?? null
    return time === null || windowSeconds === 0 ? null : Math.floor(time / windowSeconds)
  }
