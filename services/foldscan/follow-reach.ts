import type { Position } from '../../libs/chain/position.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import { type Announcement, announcement } from '../../libs/topics/changes.ts'
import { decodeMessage } from '../../libs/topics/codec.ts'
import type { Face } from './face.ts'
import type { Witness } from './witness.ts'

export interface Followed {
  readonly events: EventLog
  /** Newest block of the source, asked at most once in `headIntervalMs`. */
  readonly head: () => Promise<number>
  readonly witness: Witness
  readonly face: Face
  readonly signal: AbortSignal
  /** Called once: when all is caught up, or when there is something to look at for a while. */
  readonly worthALook: () => Promise<void>
}

const changesTopic = 'changes'
const readLimit = { messagesMax: 256, bytesMax: 8 * 1024 * 1024 } as const
/** Where the groups were before this start: their last words are among so many. */
const lookBackMessages = 64
const headIntervalMs = 1_000
/** A backfill of days must not keep people from the first look. */
const firstLookMs = 10_000
/** Blocks behind the source that still count as caught up. */
const liveDistance = 2
const paceWindowMs = 5_000

/** Shows how far the river has come, until the signal aborts. */
export async function followReach(followed: Followed): Promise<void> {
  const { events, face, witness, signal } = followed
  const ahead = headOf(followed.head)
  const pace = startPace(witness)
  const groups = new Map<Announcement['group'], Announcement>()
  let offset = Math.max(0, (await events.end(changesTopic)) - lookBackMessages)
  let from: number | null = null
  let since: number | null = null
  let looked = false
  while (!signal.aborted) {
    await events.waitBeyond(changesTopic, offset, signal)
    const messages = await events.read(changesTopic, offset, readLimit)
    offset += messages.length
    for (const { value } of messages) {
      const said = decodeMessage(announcement, value)
      if ('message' in said) groups.set(said.message.group, said.message)
    }
    const reach = lowest(groups)
    if (!reach || reach.block === null) continue
    from ??= reach.block
    since ??= Date.now()
    const head = Math.max(await ahead(), reach.block)
    const isLive = head - reach.block <= liveDistance
    if (!looked && (isLive || Date.now() - since > firstLookMs)) {
      looked = true
      await followed.worthALook()
    }
    const blocks = witness.take(reach.position)
    if (isLive) for (const block of blocks) face.block(block)
    else face.reached({ from, indexed: reach.block, head, ...pace(reach.block) })
  }
}

/** What can be read: the group that is behind decides. Null until both have spoken. */
function lowest(
  groups: ReadonlyMap<Announcement['group'], Announcement>,
): { block: number | null; position: Position } | null {
  const ledger = groups.get('ledger')
  const state = groups.get('state')
  if (!ledger || !state) return null
  return ledger.position < state.position ? ledger : state
}

function headOf(ask: () => Promise<number>): () => Promise<number> {
  let known = 0
  let askedAt = 0
  return async () => {
    if (Date.now() - askedAt < headIntervalMs) return known
    askedAt = Date.now()
    // A node that does not answer now is the ingestor's to name; the last word stands.
    known = await ask().catch(() => known)
    return known
  }
}

/** Events and blocks a second over the last seconds. */
function startPace(witness: Witness) {
  let marks: { at: number; events: number; block: number }[] = []
  return (block: number) => {
    const now = { at: Date.now(), events: witness.events(), block }
    marks = [...marks.filter(({ at }) => now.at - at < paceWindowMs), now]
    const first = marks[0] ?? now
    const seconds = Math.max(0.001, (now.at - first.at) / 1000)
    return {
      eventsPerSecond: (now.events - first.events) / seconds,
      blocksPerSecond: (now.block - first.block) / seconds,
    }
  }
}
