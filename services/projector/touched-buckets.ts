import type { TableRow } from '../../libs/tables/table-row.ts'
import { rateHours, tokenRates } from '../../libs/tables/token-rates.ts'
import { type Announcement, bucketOf } from '../../libs/topics/changes.ts'
import { invalidatedFamilies } from '../../libs/topics/families.ts'
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
      const bucket = bucketOf(subjectOf(table, row))
      for (const name of invalidatedFamilies(table.name, isStatsOnly)) this.addBucket(name, bucket)
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

/**
 * Tables whose subject is the whole key, because pages show single rows of them. The subject of all
 * others is the first column of the key, because a page is a list of one subject.
 */
const movedByKey: ReadonlySet<string> = new Set(['instances', 'instance_metadata'])

function subjectOf(table: TableRow['table'], row: TableRow['row']): string {
  if (table.name === tokenRates.name) return rateHours
  if (movedByKey.has(table.name)) return table.keyOf(row)
  return String(Reflect.get(row, Object.keys(table.key)[0] ?? ''))
}
