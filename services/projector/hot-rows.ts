import type { TableRow } from '../../libs/tables/table-row.ts'

/** Subjects of a table in one flush above which none of them is written through. */
const subjectsMax = 1_000

/** Of a flush, the newest row of each subject in the tables that lie in the shared cache too. */
export class HotRows {
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
