import { type EventLog, OffsetLost } from '../../libs/ports/event-log.ts'
import type { Head } from '../../libs/presenters/known.ts'
import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import { type Announcement, announcement } from '../../libs/topics/changes.ts'
import type { Moved } from './moved.ts'

const topic = 'changes'
const readLimit = { messagesMax: 100, bytesMax: 16 * 1024 * 1024 }
const retryAfterMs = 1_000

/** How far a group can be read: what of an announcement the head needs. */
export type Reached = Pick<Announcement, 'group' | 'position' | 'block' | 'time'>

/** The newest block that both on-chain groups have, from their announcements. */
export class HeadOfGroups {
  private readonly reached = new Map<Announcement['group'], Reached>()

  /** What is told twice, or late, does not lead back: positions only grow. */
  hear(announced: Reached): void {
    if (announced.position < this.at(announced.group)) return
    this.reached.set(announced.group, announced)
  }

  /** Null until both groups have said a block. */
  get head(): Head | null {
    const [ledger, state] = [this.reached.get('ledger'), this.reached.get('state')]
    if (ledger === undefined || state === undefined) return null
    const { block, time } = ledger.position < state.position ? ledger : state
    return block === null ? null : { block, time }
  }

  /** The lowest position of the on-chain groups; 0 before both have spoken. */
  get position(): number {
    return Math.min(this.at('ledger'), this.at('state'))
  }

  /** Changes with every step of any group: what is cached under it is as new as what was heard. */
  get name(): string {
    return `${this.at('ledger')}.${this.at('state')}.${this.at('dimensions')}`
  }

  private at(group: Announcement['group']): number {
    return this.reached.get(group)?.position ?? 0
  }
}

interface Follower {
  readonly log: EventLog
  readonly head: HeadOfGroups
  readonly moved: Moved
  readonly signals: Log
  readonly signal: AbortSignal
}

/** The offset from which all that is announced from now on can be followed. */
export const offsetOfChanges = (log: EventLog): Promise<number> => log.end(topic)

/** Follows `changes` from an offset until the signal aborts. */
export async function followChanges(start: number, follower: Follower): Promise<void> {
  const { log, moved, signals, signal } = follower
  let offset = start
  while (!signal.aborted) {
    try {
      await log.waitBeyond(topic, offset, signal)
      if (!signal.aborted) offset = await hearFrom(offset, follower)
    } catch (error) {
      if (signal.aborted) return
      // What is missed must not be served as if nothing had moved.
      moved.hear({ moved: 'everything' })
      signals.warn({ event: events.api.failed, error }, 'could not follow changes; trying again')
      // A topic that was made anew begins again: its announcements have offsets of their own.
      if (error instanceof OffsetLost) offset = error.held.begin
      else await new Promise((resolve) => setTimeout(resolve, retryAfterMs))
    }
  }
}

/** @returns the offset to go on from. */
async function hearFrom(offset: number, follower: Follower): Promise<number> {
  const messages = await follower.log.read(topic, offset, readLimit)
  for (const { value } of messages) hear(value, follower)
  const last = messages.at(-1)
  if (last === undefined)
    throw new Error(`no announcement at ${offset}, though there are later ones`)
  return last.offset + 1
}

function hear(value: Uint8Array, { head, moved, signals }: Follower): void {
  const read = announcement.safeParse(parsed(value))
  moved.hear(read.success ? read.data : { moved: 'everything' })
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
