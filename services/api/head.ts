import type { Head } from '../../libs/presenters/known.ts'
import type { Announcement } from '../../libs/topics/changes.ts'

/** How far a group can be read: what of an announcement the head needs. */
export type Reached = Pick<Announcement, 'group' | 'position' | 'block' | 'time' | 'knownFrom'>

/** The newest block that both on-chain groups have, from their announcements. */
export class HeadOfGroups {
  private readonly reached = new Map<Announcement['group'], Reached>()
  private readonly onHead: (head: Head) => void

  constructor(onHead: (head: Head) => void = () => {}) {
    this.onHead = onHead
  }

  /** What is told twice, or late, does not lead back: positions only grow. */
  hear(announced: Reached): void {
    if (announced.position < this.at(announced.group)) return
    this.reached.set(announced.group, announced)
    const { head } = this
    if (head !== null) this.onHead(head)
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

  /** From which position on rows of the state count: older ones lie before a hole in the log. */
  get knownFrom(): number {
    return this.reached.get('state')?.knownFrom ?? 0
  }

  /** The newest hour of chain time whose rates are there; 0 before any. */
  get rateHour(): number {
    return Math.floor((this.reached.get('dimensions')?.time ?? 0) / 3_600)
  }

  private at(group: Announcement['group']): number {
    return this.reached.get(group)?.position ?? 0
  }
}
