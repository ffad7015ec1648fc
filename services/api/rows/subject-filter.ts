import type { Address } from '../../../libs/chain/hex.ts'
import type { SubjectsQuestion } from '../../../libs/queries/subjects.ts'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import { pause } from '../../../libs/signals/pause.ts'
import { subjectHash } from '../../../libs/topics/changes.ts'
import type { ChangesOffset, InvalidationClock } from '../clock/invalidation-clock.ts'
import type { ReadContext, RunQuestion } from './run-question.ts'

/** Subjects of one query: 2 MB of addresses. */
const subjectsPerQuery = 100_000
/** Four bits of the hash's range a subject: few absent subjects look present. */
const bitsPerSubject = 32
const bitsLog2 = { min: 10, max: 27 } as const
/** Lookups of subjects that have changed since the load, of a hundred, that call for a new one. */
const changedPercentMax = 5
const lookupsMin = 100

interface SubjectFilterOptions {
  readonly run: RunQuestion
  readonly clock: InvalidationClock
  readonly question: SubjectsQuestion
  /** Of the table; with more there is no filter. */
  readonly subjectsMax: number
}

interface Loaded {
  readonly readAt: ChangesOffset
  readonly count: number
  /** A bit for each value of the upper bits of a subject's hash: 16 MiB at most. */
  readonly bits: Uint32Array
  readonly shift: number
}

/**
 * Whether a table has no rows of a subject, without a query, as is true of most addresses: a
 * Bloom filter with one hash. It was loaded at an offset of `changes` and is asked only about
 * subjects without a change since, so that it never lacks a subject that the table has.
 */
export class SubjectFilter {
  private readonly options: SubjectFilterOptions
  private loaded: Loaded | null = null
  private lookups = { all: 0, changed: 0 }

  constructor(options: SubjectFilterOptions) {
    this.options = options
  }

  get table(): string {
    return this.options.question.table.name
  }

  /** Subjects in the filter; null: it is not loaded, and excludes nothing. */
  get count(): number | null {
    return this.loaded?.count ?? null
  }

  /** True: the table has no rows of the subject. False: it may have some. */
  excludes(subject: string): boolean {
    const { loaded } = this
    if (loaded === null) return false
    this.lookups.all += 1
    const { clock, question } = this.options
    if (!clock.isUnchanged(question.table.name, subject, loaded.readAt)) {
      this.lookups.changed += 1
      return false
    }
    const at = subjectHash(subject) >>> loaded.shift
    return (((loaded.bits[at >>> 5] ?? 0) >>> (at & 31)) & 1) === 0
  }

  /** Whether it is not loaded, or too many subjects have changed since. */
  get isOutdated(): boolean {
    const { all, changed } = this.lookups
    return this.loaded === null || (all >= lookupsMin && changed * 100 > all * changedPercentMax)
  }

  /**
   * Reads all subjects of the table. The filter stays what it was if they come from a replica that
   * is behind.
   * @returns false if the table has more than `subjectsMax`
   * @throws StoreUnavailable, StoreBehind, the signal's reason
   */
  async load(signal?: AbortSignal): Promise<boolean> {
    const { clock, run, question, subjectsMax } = this.options
    // Noted before anything is read: a change from now on counts as one since the load.
    const readAt = clock.now
    const context: ReadContext = { signal, isBehind: false }
    const hashes: number[][] = []
    let after: Address | null = null
    let count = 0
    for (;;) {
      const some: readonly Address[] = await run(
        question,
        { after, limit: subjectsPerQuery },
        context,
      )
      hashes.push(some.map(subjectHash))
      count += some.length
      if (count > subjectsMax) {
        this.loaded = null
        return false
      }
      after = some.at(-1) ?? null
      if (after === null || some.length < subjectsPerQuery) break
    }
    if (context.isBehind) return true
    this.loaded = { readAt, count, ...bitsOf(hashes, count) }
    this.lookups = { all: 0, changed: 0 }
    return true
  }
}

/** Between two looks at each filter, in milliseconds. */
const checkEveryMs = 60_000

interface KeepLoadedOptions {
  readonly metrics: Pick<Metrics, 'filteredSubjects'>
  readonly log: Log
  readonly signal: AbortSignal
}

/** Loads filters, and again when they are outdated, until the signal aborts. Never rejects. */
export async function keepLoaded(
  filters: readonly SubjectFilter[],
  { metrics, log, signal }: KeepLoadedOptions,
): Promise<void> {
  const used = new Set(filters)
  while (!signal.aborted) {
    for (const filter of used) {
      if (!filter.isOutdated) continue
      const { table } = filter
      try {
        if (!(await filter.load(signal))) {
          used.delete(filter)
          log.info({ event: events.api.noSubjectFilter, table }, 'too many subjects for a filter')
        }
        metrics.filteredSubjects.set({ table }, filter.count ?? 0)
      } catch (error) {
        if (signal.aborted) return
        log.info({ event: events.api.noSubjectFilter, table, error }, 'no filter of subjects yet')
      }
    }
    await pause(checkEveryMs, signal)
  }
}

function bitsOf(hashes: readonly (readonly number[])[], count: number) {
  const wanted = Math.ceil(Math.log2(count * bitsPerSubject + 1))
  const log2 = Math.min(bitsLog2.max, Math.max(bitsLog2.min, wanted))
  const shift = 32 - log2
  const bits = new Uint32Array(2 ** (log2 - 5))
  for (const some of hashes) {
    for (const hash of some) {
      const at = hash >>> shift
      bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (1 << (at & 31))
    }
  }
  return { bits, shift }
}
