import type { Store } from '../../libs/ports/store.ts'
import type { BlocksGroup } from '../../libs/projections/group.ts'
import { marksOf } from '../../libs/queries/progress.ts'
import { progress } from '../../libs/tables/progress.ts'
import type { Row } from '../../libs/tables/table.ts'
import { olderMarksOf } from './marks.ts'
import type { Standing } from './standing.ts'

/** What the tables say of the log that a group's rows were made of, as a life of it begins. */
export class WrittenRows {
  /** Rows go up to here; 0 where there are none. */
  readonly position: number
  /** Up to here they are rows of this log, as far as it was read. */
  provenUpTo = 0
  readonly #marks: ReadonlyMap<number, Row<typeof progress>>

  private constructor(marks: Iterable<Row<typeof progress>>) {
    this.#marks = new Map([...marks].map((mark) => [Number(mark.position), mark]))
    this.position = Math.max(0, ...this.#marks.keys())
  }

  static readonly none = new WrittenRows([])

  static async of(store: Store, group: BlocksGroup['name']): Promise<WrittenRows> {
    const names = [group, ...olderMarksOf(group)]
    const marks = await marksOf(store, names)
    return new WrittenRows(names.flatMap((name) => marks.get(name) ?? []))
  }

  /** Whether the rows were made of another log than the one that was read up to here. */
  areOfAnother({ accepted: { sequence, head }, prefix }: Standing): boolean {
    const mark = this.#marks.get(sequence)
    if (mark === undefined) return false
    // Rows of before there were such hashes name their block only.
    const isSame =
      mark.logHash === null ? mark.blockHash === (head?.hash ?? null) : mark.logHash === prefix
    if (isSame) this.provenUpTo = Math.max(this.provenUpTo, sequence)
    return !isSame
  }
}

/** Removes the rows above a position. Older versions of them may have been merged away. */
export async function removeRows(
  store: Store,
  tables: readonly string[],
  above: number,
): Promise<void> {
  for (const table of tables) await removed(store, table, `position > ${above}`)
}

/** Nothing says any more how far the rows go: all of them will be written again. */
export const forgetProgress = (store: Store, group: BlocksGroup['name']): Promise<void> =>
  removed(store, progress.name, `group = '${group}' OR startsWith(group, '${group}|')`)

/** Gone from all replicas when the promise resolves. */
const removed = (store: Store, table: string, condition: string): Promise<void> =>
  store.execute(`ALTER TABLE ${table} DELETE WHERE ${condition} SETTINGS mutations_sync = 2`)
