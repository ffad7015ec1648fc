import { position } from '../../../libs/chain/position.ts'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import type { StateStore } from '../../../libs/ports/state-store.ts'
import { seenHeaders } from '../../../libs/signals/block-stage.ts'
import { type GroupName, groupId } from '../../../libs/tables/declare/group-versions.ts'
import type { Accepted } from '../../../libs/topics/acceptance.ts'
import type { Announcement } from '../../../libs/topics/changes.ts'
import { encodeMessage } from '../../../libs/topics/codec.ts'
import { outboxPrefix } from '../volume/state-keys.ts'

/** Announcements that can wait in an outbox: each flush empties it before the next. */
const outboxCountMax = 1_000

/** Announcement of a flush: its range of positions, and what it changed. */
interface FlushChanges {
  /** Position of the flush before. */
  readonly after: number
  readonly accepted: Pick<Accepted, 'sequence' | 'head'>
  readonly moved: Announcement['moved']
  /** Position of the last hole in the log, of a group that forgets what it knew before it. */
  readonly knownFrom?: number
  /** Of a group that folds no blocks: the chain's time that it knows of, in seconds. */
  readonly time?: number | null
  /** Of facts: the version up to which each topic is folded. */
  readonly facts?: Announcement['facts']
}

export function announcementOf(
  group: GroupName,
  { after, accepted, moved, knownFrom = 0, time = null, facts = null }: FlushChanges,
): Announcement {
  return {
    group: groupId(group),
    after: position(after),
    position: position(accepted.sequence),
    block: accepted.head?.number ?? null,
    hash: accepted.head?.hash ?? null,
    time: accepted.head?.timestamp ?? time,
    ...(knownFrom > 0 && { knownFrom }),
    facts,
    moved,
  }
}

export const announcementBytes = (announcement: Announcement): Buffer =>
  Buffer.from(encodeMessage(announcement))

/** @param seen when the ingestor first had the oldest new block of the flush */
export async function publish(
  eventLog: EventLog,
  group: GroupName,
  announced: { readonly bytes: Uint8Array; readonly seen?: number | null },
): Promise<void> {
  const { bytes: value, seen } = announced
  await eventLog.append('changes', [{ key: groupId(group), value, ...seenHeaders(seen) }])
}

/** Publishes what a life before this one committed and perhaps did not publish: at least once. */
export async function publishOutbox(
  eventLog: EventLog,
  state: StateStore,
  group: GroupName,
): Promise<number> {
  const waiting = [...state.scan(outboxPrefix, outboxCountMax)]
  for (const { value } of waiting) await publish(eventLog, group, { bytes: value })
  if (waiting.length > 0) await state.commit(waiting.map(({ key }) => [key, null] as const))
  return waiting.length
}
