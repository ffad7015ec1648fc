import { namesOf } from '../../libs/topics/families.ts'
import type { Reading } from './asks.ts'
import type { Dependencies } from './dependencies.ts'
import type { Moment, Moved } from './moved.ts'
import { SegmentedCache } from './segmented-cache.ts'

interface Form<K, R> {
  /** The table whose announcements make a row old. */
  readonly family: string
  readonly rowsMax: number
  /** What of a key announcements are about; the key itself unless told otherwise. */
  readonly subjectOf?: (key: K) => string
  readonly moved: Moved
  readonly ask: (subjects: readonly K[], reading: Reading) => Promise<ReadonlyMap<K, R>>
  /** The step of chain time that it is now; null while that time is not known. */
  readonly step?: () => number | null
  readonly onReads?: (outcome: 'hit' | 'miss', count: number) => void
}

interface Entry<R> {
  /** Null: it was looked for and is not there. */
  readonly row: R | null
  readonly moment: Moment
  readonly step: number | null
  /** The answer that it was read for. */
  readonly readBy: number
}

/** For which answer rows are looked up. */
export interface Looking {
  readonly on: Dependencies
  /** Whether figures of tokens may be as of the beginning of the present step, or of any time. */
  readonly figures: 'exact' | 'in steps' | 'not shown'
  readonly reading: Reading
}

/** Rows by subject, asked once and kept while nothing is announced of them. */
export class Remembered<K extends string, R> {
  private readonly form: Form<K, R>
  private readonly entries: SegmentedCache<Entry<R>>

  constructor(form: Form<K, R>) {
    this.form = form
    this.entries = new SegmentedCache({ sizeMax: form.rowsMax, sizeOf: () => 1 })
  }

  /** Those that exist. */
  async get(keys: Iterable<K>, { on, figures, reading }: Looking): Promise<ReadonlyMap<K, R>> {
    const wanted = [...new Set(keys)]
    const found = new Map<K, R>()
    const missing: K[] = []
    let oldest = this.form.moved.now.offset
    for (const subject of wanted) {
      const entry = this.entries.peek(subject)
      const isStill = entry !== undefined && this.isStill(subject, entry)
      if (
        entry === undefined ||
        !(isStill || (figures !== 'exact' && this.isIn(subject, entry, { on, figures })))
      ) {
        missing.push(subject)
        continue
      }
      // An answer looks up the same rows more than once: that alone is no demand.
      if (entry.readBy !== on.answer) this.entries.use(subject)
      if (!isStill) oldest = Math.min(oldest, entry.moment.offset)
      if (entry.row !== null) found.set(subject, entry.row)
    }
    // Written down before anything is awaited: what moves from now on makes the answer old.
    const subjects = wanted.map((key) => this.subjectOf(key))
    if (figures === 'exact') on.on(this.form.family, subjects)
    else if (figures === 'in steps') on.inStepsOn(this.form.family, subjects, oldest)
    else on.on(namesOf(this.form.family), subjects)
    this.form.onReads?.('hit', wanted.length - missing.length)
    if (missing.length > 0) await this.ask(missing, { on, reading, found })
    return found
  }

  private isStill(subject: K, { moment }: Entry<R>): boolean {
    return this.form.moved.isStill(this.form.family, this.subjectOf(subject), moment)
  }

  /** Whether only figures have moved that the answer may show, or shows not at all. */
  private isIn(
    subject: K,
    { moment, step: readIn }: Entry<R>,
    { on, figures }: Pick<Looking, 'on' | 'figures'>,
  ): boolean {
    const { family, moved } = this.form
    const isInStep = on.step !== null && on.step === readIn
    if (figures === 'in steps' && !isInStep) return false
    return moved.isStill(namesOf(family), this.subjectOf(subject), moment)
  }

  private subjectOf(key: K): string {
    return this.form.subjectOf?.(key) ?? key
  }

  private async ask(
    missing: readonly K[],
    { on, reading, found }: Pick<Looking, 'on' | 'reading'> & { found: Map<K, R> },
  ): Promise<void> {
    const moment = this.form.moved.now
    const step = this.form.step?.() ?? null
    this.form.onReads?.('miss', missing.length)
    const rows = await this.form.ask(missing, reading)
    for (const subject of missing) {
      const row = rows.get(subject) ?? null
      if (!reading.isBehind) this.entries.set(subject, { row, moment, step, readBy: on.answer })
      if (row !== null) found.set(subject, row)
    }
  }
}
