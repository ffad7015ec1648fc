import type { TableRow } from '../../libs/tables/table-row.ts'
import { type Announcement, bucketOf } from '../../libs/topics/changes.ts'

/** What the rows of a flush move, by table and bucket, until that is too much to list. */
export class Moved {
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
  }

  add(rows: readonly TableRow[]): void {
    if (this.everything) return
    for (const { table, row } of rows) {
      const subject = Object.keys(table.key)[0]
      if (subject === undefined) continue
      const family = this.families.get(table.name) ?? new Set<number>()
      this.families.set(table.name, family)
      const before = family.size
      family.add(bucketOf(String(Reflect.get(row, subject))))
      this.buckets += family.size - before
    }
    if (this.buckets > this.bucketsMax) this.addEverything()
  }

  get announced(): Announcement['moved'] {
    if (this.everything) return 'everything'
    return Object.fromEntries([...this.families].map(([name, family]) => [name, [...family]]))
  }
}
