import { LRUCache } from 'lru-cache'
import type { Moved } from './moved.ts'

interface Form<K, R> {
  /** The table whose announcements make a row old. */
  readonly family: string
  readonly rowsMax: number
  readonly moved: Moved
  readonly ask: (subjects: readonly K[]) => Promise<ReadonlyMap<K, R>>
  readonly onReads?: (outcome: 'hit' | 'miss', count: number) => void
}

interface Entry<R> {
  /** Null: it was looked for and is not there. */
  readonly row: R | null
  readonly moment: number
}

/** Rows by subject, asked once and kept while nothing is announced of them. */
export class Remembered<K extends string, R extends object> {
  private readonly form: Form<K, R>
  private readonly entries: LRUCache<K, Entry<R>>

  constructor(form: Form<K, R>) {
    this.form = form
    this.entries = new LRUCache({ max: form.rowsMax })
  }

  /** Those that exist. */
  async get(subjects: Iterable<K>): Promise<ReadonlyMap<K, R>> {
    const { family, moved } = this.form
    const found = new Map<K, R>()
    const missing: K[] = []
    let hits = 0
    for (const subject of new Set(subjects)) {
      const entry = this.entries.get(subject)
      if (entry === undefined || !moved.isStill(family, subject, entry.moment)) {
        missing.push(subject)
      } else {
        hits++
        if (entry.row !== null) found.set(subject, entry.row)
      }
    }
    this.form.onReads?.('hit', hits)
    if (missing.length > 0) await this.ask(missing, found)
    return found
  }

  private async ask(missing: readonly K[], found: Map<K, R>): Promise<void> {
    const moment = this.form.moved.now
    this.form.onReads?.('miss', missing.length)
    const rows = await this.form.ask(missing)
    for (const subject of missing) {
      const row = rows.get(subject) ?? null
      this.entries.set(subject, { row, moment })
      if (row !== null) found.set(subject, row)
    }
  }
}
