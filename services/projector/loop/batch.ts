import type { Store } from '../../../libs/ports/store.ts'
import { RowBatch } from '../../../libs/tables/declare/row-batch.ts'
import { invalidatedFamilies, type TableRow } from '../../../libs/tables/declare/table.ts'
import { type Announcement, bucketOf } from '../../../libs/topics/changes.ts'
import type { ProjectorLimits } from './limits.ts'

/** What was folded since the last flush. */
export class Batch {
  readonly touched: TouchedBuckets
  messages = 0
  /** When the ingestor first had the oldest new block, in ms since 1970; null without any. */
  seen: number | null = null
  private wireBytes = 0
  private weight = 0
  private readonly limits: ProjectorLimits
  private readonly rows = new RowBatch()

  constructor(limits: ProjectorLimits) {
    this.limits = limits
    this.touched = new TouchedBuckets(limits.bucketsMax)
  }

  /** @throws ConflictingRows */
  add(runs: Iterable<readonly TableRow[]>, wireBytes: number, weight = 0): void {
    this.messages += 1
    this.wireBytes += wireBytes
    this.weight += weight
    for (const rows of runs) this.addRows(rows)
  }

  /** Blocks are seen in their order. */
  noteSeen(seen: number | null | undefined): void {
    this.seen ??= seen ?? null
  }

  /** Of the last message that was added. @throws ConflictingRows */
  addRows(rows: readonly TableRow[]): void {
    this.touched.add(rows)
    this.rows.add(rows)
  }

  /** Rows of the only message, which has at most one of a key. @throws ConflictingRows */
  addAtOnce(rows: readonly TableRow[]): void {
    this.touched.add(rows)
    this.rows.addAtOnce(rows)
  }

  /** Bytes of rows that `insertHeld` would insert. */
  get heldBytes(): number {
    return this.rows.heldBytes
  }

  /** Rows so far, but those of the tables that a flush writes last. */
  insertHeld(store: Store): Promise<void> {
    return this.rows.insertHeld(store)
  }

  get rowCount(): number {
    return this.rows.rowCount
  }

  get isFull(): boolean {
    const { flushMessagesMax, flushBytesMax, flushRowsMax, flushWeightMax } = this.limits
    return (
      this.messages >= flushMessagesMax ||
      this.wireBytes >= flushBytesMax ||
      this.weight >= flushWeightMax ||
      this.rowCount >= flushRowsMax
    )
  }

  /** Resolves when all rows are acknowledged. */
  insertAll(store: Store): Promise<void> {
    return this.rows.insertAll(store)
  }
}

/** Buckets that the rows of a flush change, by table, until there are too many to list. */
class TouchedBuckets {
  /** Changed rows that many pages show. */
  readonly hot = new CacheableRows()
  private readonly bucketsMax: number
  private readonly families = new Map<string, Set<number>>()
  private buckets = 0
  private everything = false

  constructor(bucketsMax: number) {
    this.bucketsMax = bucketsMax
  }

  addEverything(): void {
    this.everything = true
    this.families.clear()
    this.hot.clear()
  }

  add(rows: readonly TableRow[]): void {
    if (this.everything) return
    for (const change of rows) {
      const { table, row, isStatsOnly = false } = change
      this.hot.add(change)
      const bucket = bucketOf(table.subjectOf(row))
      for (const name of invalidatedFamilies(table, isStatsOnly)) this.addBucket(name, bucket)
    }
    if (this.buckets > this.bucketsMax) this.addEverything()
  }

  private addBucket(name: string, bucket: number): void {
    const family = this.families.get(name) ?? new Set<number>()
    this.families.set(name, family)
    const before = family.size
    family.add(bucket)
    this.buckets += family.size - before
  }

  get announced(): Announcement['moved'] {
    if (this.everything) return 'everything'
    return Object.fromEntries([...this.families].map(([name, family]) => [name, [...family]]))
  }
}

/** Subjects of a table in one flush above which none of them is written through. */
const subjectsMax = 1_000

/** Of a flush, the newest row of each subject in the tables that lie in the shared cache too. */
export class CacheableRows {
  private readonly tables = new Map<string, Map<string, TableRow>>()
  private readonly overfull = new Set<string>()

  add(moved: TableRow): void {
    const { table, row } = moved
    if (table.isCached !== true || this.overfull.has(table.name)) return
    const subjects = this.tables.get(table.name) ?? new Map<string, TableRow>()
    this.tables.set(table.name, subjects)
    subjects.set(table.subjectOf(row), moved)
    if (subjects.size <= subjectsMax) return
    this.tables.delete(table.name)
    this.overfull.add(table.name)
  }

  clear(): void {
    this.tables.clear()
  }

  /** By subject; nothing of a table where there were too many. */
  of(table: string): ReadonlyMap<string, TableRow> {
    return this.tables.get(table) ?? new Map<string, TableRow>()
  }
}
