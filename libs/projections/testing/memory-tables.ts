import { type AnyTable, type Row, sinceHole, type TableRow } from '../../tables/declare/table.ts'
import { isShown, tokenState } from '../../tables/tables/tokens.ts'

type AnyRow = Row<AnyTable>

const valuesOf = (row: AnyRow): Record<string, unknown> => row

/** Ascending, or as the key declares; text, numbers and amounts each by their own order. */
function compare(one: unknown, other: unknown): number {
  if (typeof one === 'bigint' && typeof other === 'bigint') return one < other ? -1 : +(one > other)
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return String(one) < String(other) ? -1 : +(String(one) > String(other))
}

/** Tables as the reader sees them: of each key the version with the highest position. */
export class MemoryTables {
  /** Of the group `state`, as readers get it from its progress. */
  knownFrom = 0
  private readonly tables = new Map<string, { table: AnyTable; rows: Map<string, AnyRow> }>()

  /**
   * @throws if a position has two rows of one key, a tombstone is not the old row, or rows of one
   * origin differ in shared columns.
   */
  write(runs: Iterable<readonly TableRow[]>): void {
    const shared = new SharedValues()
    for (const one of [...runs].flat()) {
      const { table, row } = one
      shared.check(one)
      const named = this.tables.get(table.name) ?? { table, rows: new Map<string, AnyRow>() }
      this.tables.set(table.name, named)
      const key = table.keyOf(row)
      const stored = named.rows.get(key)
      if (stored !== undefined) this.check(table, stored, row)
      if (stored === undefined || stored.position <= row.position) named.rows.set(key, row)
    }
  }

  private check(table: AnyTable, stored: AnyRow, row: AnyRow): void {
    const isSame = (skipped: readonly string[]) =>
      Object.keys(table.allColumns).every(
        (name) =>
          skipped.includes(name) || String(valuesOf(stored)[name]) === String(valuesOf(row)[name]),
      )
    if (stored.position === row.position && !isSame([])) {
      throw new Error(`${table.name}: two rows of ${table.keyOf(row)} at ${row.position}`)
    }
    if (
      row.position > stored.position &&
      row.isDeleted === 1 &&
      !isSame(['position', 'isDeleted'])
    ) {
      throw new Error(`${table.name}: a tombstone of ${table.keyOf(row)} is not the old row`)
    }
  }

  /** Rows that are there, in the order of the key. */
  rowsOf(name: string): AnyRow[] {
    const named = this.tables.get(name)
    if (named === undefined) return []
    const key = Object.entries(named.table.key)
    return [...named.rows.values()]
      .filter((row) => row.isDeleted === 0)
      .flatMap((row) => sinceHole(named.table, row, this.knownFrom) ?? [])
      .filter((row) => isShown({ observedAt: Infinity, ...valuesOf(row) }, this.stateOf(row)))
      .sort((one, other) => {
        for (const [column, { descending }] of key) {
          const order = compare(valuesOf(one)[column], valuesOf(other)[column])
          if (order !== 0) return descending ? -order : order
        }
        return 0
      })
  }

  private stateOf(row: AnyRow): { readonly shownSince: number } | undefined {
    const state = this.tables.get(tokenState.name)?.rows.get(String(valuesOf(row).token))
    return state && { shownSince: Number(valuesOf(state).shownSince) }
  }

  /** Everything that is there, by table. */
  all(): Record<string, AnyRow[]> {
    return Object.fromEntries([...this.tables.keys()].map((name) => [name, this.rowsOf(name)]))
  }

  get names(): string[] {
    return [...this.tables.keys()]
  }
}

/** Values of shared columns by set of columns and origin. */
class SharedValues {
  readonly #values = new Map<object, Map<object, string>>()

  check({ table, row, origin = row }: TableRow): void {
    if (table.shared === undefined) return
    const ofOrigin = this.#values.get(table.shared) ?? new Map<object, string>()
    this.#values.set(table.shared, ofOrigin)
    const values = valuesOf(row)
    const names = Object.keys(table.shared)
    const text = names.map((name) => `${name}: ${String(values[name])}`).join(', ')
    const known = ofOrigin.get(origin) ?? text
    if (known !== text) throw new Error(`${table.name}: ${text} of one origin with ${known}`)
    ofOrigin.set(origin, text)
  }
}
