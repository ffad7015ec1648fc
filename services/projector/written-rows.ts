import type { Hash } from '../../libs/chain/hex.ts'
import type { Store } from '../../libs/ports/store.ts'
import type { BlocksGroup } from '../../libs/projections/group.ts'
import { marksOfReplicas } from '../../libs/queries/progress.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import type { progress } from '../../libs/tables/progress.ts'
import type { Row } from '../../libs/tables/table.ts'
import type { GroupState } from './group-state.ts'
import { LogReplaced } from './log-prefix.ts'
import { aheadMarksOf, firstMarkOf, olderMarksOf, type Reached } from './marks.ts'

type Mark = Row<typeof progress>
type Place = Pick<GroupState, 'accepted' | 'prefix'>

/** This is the log of the tables, but they have rows of messages that it does not contain. */
export class RowsOfAnotherLog extends Error {
  override readonly name = 'RowsOfAnotherLog'
  /** Rows above this position have to go. */
  readonly above: number

  constructor(sentence: string, above: number) {
    super(sentence)
    this.above = above
  }
}

/** Marks in the tables that identify the log of a group's rows, read at its start. */
export class WrittenRows {
  /** Last position with rows, except those of an unfinished flush; 0 if there are none. */
  readonly position: number
  readonly #group: BlocksGroup['name']
  readonly #reached: ReadonlyMap<number, Mark>
  readonly #first: Mark | null
  /** Marks of flushes that were started and not finished. */
  readonly #ahead: readonly { readonly mark: Mark; readonly messagesMax: number }[]
  /** Up to here the rows are of this log, as far as it was read. */
  #provenUpTo = 0
  #isFirstProven = false
  #unwrittenFirst: Reached | null = null

  private constructor(group: BlocksGroup['name'], marks: ReadonlyMap<string, Mark>) {
    const reached = [group, ...olderMarksOf(group)].flatMap((name) => marks.get(name) ?? [])
    this.#group = group
    this.#reached = new Map(reached.map((mark) => [Number(mark.position), mark]))
    this.position = Math.max(0, ...this.#reached.keys())
    this.#first = marks.get(firstMarkOf(group)) ?? null
    this.#ahead = aheadMarksOf(group).flatMap(({ name, messagesMax }) => {
      const mark = marks.get(name)
      return mark !== undefined && mark.position > this.position ? [{ mark, messagesMax }] : []
    })
  }

  static readonly none = new WrittenRows('ledger', new Map())

  static async of(store: Store, group: BlocksGroup['name']): Promise<WrittenRows> {
    const ahead = aheadMarksOf(group).map(({ name }) => name)
    const names = [group, ...olderMarksOf(group), firstMarkOf(group), ...ahead]
    return new WrittenRows(group, await marksOfReplicas(store, names))
  }

  /** No mark identifies the log of the rows, if there are any. */
  get areUnmarked(): boolean {
    return this.position === 0 && this.#first === null && this.#ahead.length === 0
  }

  /** The first message, until a row identifies the log; then null. */
  get unwrittenFirst(): Reached | null {
    return this.#unwrittenFirst
  }

  firstIsWritten(): void {
    this.#unwrittenFirst = null
  }

  /**
   * Earlier processes have compared what the volume was folded from.
   * @throws RowsOfAnotherLog, LogReplaced
   */
  provenByVolume(at: Place & Pick<GroupState, 'silentUntil'>): void {
    const { sequence } = at.accepted
    const proven = [...this.#reached.keys()].filter((position) => position < sequence)
    this.#provenUpTo = Math.max(0, ...proven)
    this.compare(at, sequence <= at.silentUntil)
  }

  /** The log's first accepted message. @throws LogReplaced if the rows began otherwise */
  beginsWith({ accepted: { head }, prefix }: Place): void {
    if (this.#first === null) {
      const { number = null, hash = null, timestamp = null } = head ?? {}
      const block = { blockNumber: number, blockHash: hash, timestamp }
      this.#unwrittenFirst = { position: 1, ...block, logHash: prefix }
      return
    }
    if (this.#first.logHash !== prefix) {
      const there = beginning(head?.number ?? null, prefix)
      const here = beginning(this.#first.blockNumber, this.#first.logHash)
      throw new LogReplaced(
        `topic blocks is another log than the one that the rows of ${this.#group} were made of: ` +
          `it begins with ${there}, they with ${here}; ${advice}`,
      )
    }
    this.#isFirstProven = true
  }

  /**
   * Compares the log, as far as it was read, with the marks of the rows.
   * @param isSilent whether the rows up to here were written by an earlier life
   * @throws RowsOfAnotherLog, LogReplaced
   */
  compare(at: Place, isSilent: boolean): void {
    const { sequence } = at.accepted
    if (sequence === 1) this.beginsWith(at)
    const mark = this.#reached.get(sequence)
    if (mark !== undefined) {
      if (isSame(mark, at)) this.#provenUpTo = Math.max(this.#provenUpTo, sequence)
      else this.#refuse(sequence, { isRemoved: isSilent, above: this.#provenUpTo })
    }
    const isOther = this.#ahead.some(
      ({ mark }) => Number(mark.position) === sequence && !isSame(mark, at),
    )
    if (!isOther) return
    // Marks of this log may be above rows of those flushes.
    const begins = this.#ahead.map(({ mark, messagesMax }) => Number(mark.position) - messagesMax)
    const above = Math.max(0, Math.min(this.#provenUpTo, ...begins))
    this.#refuse(sequence, { isRemoved: true, above })
  }

  /** Removes rows only if a mark proves that this is their log. */
  #refuse(sequence: number, { isRemoved, above }: { isRemoved: boolean; above: number }): never {
    const sentence = `the tables have rows up to ${sequence} that are not of topic blocks`
    const isTheirs = this.#isFirstProven || this.#provenUpTo > 0
    if (isRemoved && isTheirs) throw new RowsOfAnotherLog(sentence, above)
    if (isRemoved) throw new LogReplaced(`${sentence}, and none that are; ${advice}`)
    throw new LogReplaced(`${sentence}; see ${runbooks.lostTail}`)
  }
}

const advice =
  'nothing was changed. Correct --kafka-brokers or --kafka-topic-prefix, or, to fold this topic ' +
  `instead, follow "Another topic" in ${runbooks.lostTail}`

/** Rows older than these hashes name their block only. */
const isSame = ({ logHash, blockHash }: Mark, { accepted: { head }, prefix }: Place): boolean =>
  logHash === null ? blockHash === (head?.hash ?? null) : logHash === prefix

/** Digits of a hash in an error, including the 0x. */
const shownDigits = 18

const beginning = (block: number | null, prefix: Hash | null): string =>
  `${block === null ? 'no block' : `block ${block}`} (message ${prefix?.slice(0, shownDigits)})`
