import type { Hash } from '../../../libs/chain/hex.ts'
import type { Store } from '../../../libs/ports/store.ts'
import type { BlocksGroup } from '../../../libs/projections/group.ts'
import { marksOfReplicas } from '../../../libs/queries/progress.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import type { Row } from '../../../libs/tables/declare/table.ts'
import type { progress } from '../../../libs/tables/tables/progress.ts'
import { LogReplaced, type PrefixProof } from './log-prefix.ts'
import { aheadMarkOf, firstMarkOf, type Reached } from './marks.ts'

type Mark = Row<typeof progress>
type Place = PrefixProof['read']

/** Marks in the tables that identify the log of a group's rows, read at its start. */
export class WrittenRows {
  /** Last position with rows, except those of an unfinished flush; 0 if there are none. */
  readonly position: number
  readonly #group: BlocksGroup['name']
  readonly #first: Mark | null
  /** Of the last flush that was finished, and of one that was started and not finished. */
  readonly #marks: readonly Mark[]
  #unwrittenFirst: Reached | null = null

  private constructor(group: BlocksGroup['name'], marks: ReadonlyMap<string, Mark>) {
    const newest = marks.get(group)
    const ahead = marks.get(aheadMarkOf(group))
    this.#group = group
    this.position = Number(newest?.position ?? 0)
    this.#first = marks.get(firstMarkOf(group)) ?? null
    this.#marks = [
      ...(newest === undefined ? [] : [newest]),
      ...(ahead === undefined || ahead.position <= this.position ? [] : [ahead]),
    ]
  }

  static readonly none = new WrittenRows('ledger', new Map())

  static async of(store: Store, group: BlocksGroup['name']): Promise<WrittenRows> {
    const names = [group, firstMarkOf(group), aheadMarkOf(group)]
    return new WrittenRows(group, await marksOfReplicas(store, names))
  }

  /** No mark identifies the log of the rows, if there are any. */
  get areUnmarked(): boolean {
    return this.#first === null && this.#marks.length === 0
  }

  /** The first message, until a row identifies the log; then null. */
  get unwrittenFirst(): Reached | null {
    return this.#unwrittenFirst
  }

  firstIsWritten(): void {
    this.#unwrittenFirst = null
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
  }

  /**
   * Compares the log, as far as it was read, with the marks of the rows.
   * @throws LogReplaced
   */
  compare(at: Place): void {
    const { sequence } = at.accepted
    if (sequence === 1) this.beginsWith(at)
    const isOther = this.#marks.some(
      (mark) => Number(mark.position) === sequence && !isSame(mark, at),
    )
    if (!isOther) return
    throw new LogReplaced(
      `the tables have rows up to ${sequence} that are not of topic blocks: acknowledged ` +
        `messages were lost, or it is another topic; see ${runbooks.lostTail}`,
    )
  }
}

const advice =
  'nothing was changed. Correct --kafka-brokers or --kafka-topic-prefix, or, to fold this topic ' +
  `instead, follow ${runbooks.lostTail}`

/** Rows older than these hashes name their block only. */
const isSame = ({ logHash, blockHash }: Mark, { accepted: { head }, prefix }: Place): boolean =>
  logHash === null ? blockHash === (head?.hash ?? null) : logHash === prefix

/** Digits of a hash in an error, including the 0x. */
const shownDigits = 18

const beginning = (block: number | null, prefix: Hash | null): string =>
  `${block === null ? 'no block' : `block ${block}`} (message ${prefix?.slice(0, shownDigits)})`

/** Whether any of the tables has a row. */
export async function haveRows(store: Store, tables: readonly string[]): Promise<boolean> {
  for (const table of tables) {
    const found = await store.query(`SELECT position FROM ${table} LIMIT 1`, {})
    if (found.length > 0) return true
  }
  return false
}
