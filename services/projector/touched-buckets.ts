import { invalidatedFamilies } from '../../libs/tables/families.ts'
import type { TableRow } from '../../libs/tables/table-row.ts'
import { type Announcement, bucketOf } from '../../libs/topics/changes.ts'
import { HotRows } from './hot-rows.ts'

/** Buckets that the rows of a flush change, by table, until there are too many to list. */
export class TouchedBuckets {
  /** Changed rows that many pages show. */
  readonly hot = new HotRows()
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
