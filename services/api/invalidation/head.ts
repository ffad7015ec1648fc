import type { Head } from '../../../libs/presenters/lookups.ts'
import type { Announcement } from '../../../libs/topics/changes.ts'

/** How far a group can be read: the part of an announcement that the head needs. */
export type GroupProgress = Pick<
  Announcement,
  'group' | 'position' | 'block' | 'time' | 'knownFrom'
>

/** The newest block that both on-chain groups have written, from their announcements. */
export class HeadOfGroups {
  private readonly reached = new Map<Announcement['group'], GroupProgress>()
  private readonly onHead: (head: Head) => void

  constructor(onHead: (head: Head) => void = () => {}) {
    this.onHead = onHead
  }

  /** Ignores redelivered and late announcements: positions only grow. */
  apply(announced: GroupProgress): void {
    if (announced.position < this.at(announced.group)) return
    this.reached.set(announced.group, announced)
    const { head } = this
    if (head !== null) this.onHead(head)
  }

  /** Null until both groups have announced a block. */
  get head(): Head | null {
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
    return Math.floor((this.reached.get('dimensions')?.time ?? 0) / 3_600)
  }

  private at(group: Announcement['group']): number {
    return this.reached.get(group)?.position ?? 0
  }
}

/** The current window of chain time; null while that time is unknown, or for a length of 0 s. */
export const throttleWindow =
  (head: () => Head | null, windowSeconds: number): (() => number | null) =>
  () => {
    const time = head()?.time ?? null
    return time === null || windowSeconds === 0 ? null : Math.floor(time / windowSeconds)
  }
