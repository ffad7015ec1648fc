import type { Compared } from './compare-page.ts'
import type { Difference } from './differences.ts'

/** A field that differs, on one page or many. */
export interface FieldDifference {
  readonly endpoint: string
  readonly field: string
  readonly count: number
  readonly example: {
    readonly path: string
    readonly item: string | null
    /** As JSON, shortened; `nothing` where the side does not have it. */
    readonly here: string
    readonly there: string
  }
}

export interface KnownCount {
  readonly decision: number
  readonly why: string
  readonly count: number
  /** One of the pages. */
  readonly path: string
}

/** Why pages could not be compared. */
export interface Failure {
  readonly reason: string
  readonly count: number
  readonly path: string
}

export interface Comparison {
  /** `incomplete`: nothing differs, but some pages, or all, could not be compared. */
  readonly status: 'equal' | 'differs' | 'incomplete'
  /** Repeats the choice of subjects, as long as the index is the same. */
  readonly seed: number
  readonly subjects: number
  /** Of each side. */
  readonly pages: number
  readonly differences: readonly FieldDifference[]
  /** Fields that differ beyond those in the list. */
  readonly leftOut: number
  readonly known: readonly KnownCount[]
  readonly failures: readonly Failure[]
}

/** Fields that are kept with an example. */
export const differencesMax = 100
const failureKindsMax = 20
const valueCharsMax = 120

const moved = 'the two were at different blocks, at both attempts'

/** Counts what was compared. */
export class Tally {
  subjects = 0
  readonly #seed: number
  #pages = 0
  #leftOut = 0
  readonly #differences = new Map<string, FieldDifference>()
  readonly #known = new Map<string, KnownCount>()
  readonly #failures = new Map<string, Failure>()
  #incomplete = 0

  constructor(seed: number) {
    this.#seed = seed
  }

  addSubject(compared: readonly Compared[]): void {
    this.subjects += 1
    for (const one of compared) this.#add(one)
  }

  get result(): Comparison {
    const differences = [...this.#differences.values()]
    const isIncomplete = this.#incomplete > 0 || this.#pages === 0
    return {
      status: differences.length > 0 ? 'differs' : isIncomplete ? 'incomplete' : 'equal',
      seed: this.#seed,
      subjects: this.subjects,
      pages: this.#pages,
      differences,
      leftOut: this.#leftOut,
      known: [...this.#known.values()].sort((one, other) => one.decision - other.decision),
      failures: [...this.#failures.values()],
    }
  }

  #add({ endpoint, path, outcome, ...compared }: Compared): void {
    if (outcome === 'failed' || outcome === 'moved') {
      this.#incomplete += 1
      this.#addFailure(compared.reason ?? moved, path)
    } else this.#pages += compared.pages
    for (const { decision, why } of compared.known) {
      const same = this.#known.get(why)
      const count = (same?.count ?? 0) + 1
      this.#known.set(why, { decision, why, count, path: same?.path ?? path })
    }
    for (const difference of compared.differences) {
      this.#addDifference({ endpoint, path }, difference)
    }
  }

  #addFailure(reason: string, path: string): void {
    const same = this.#failures.get(reason)
    if (same === undefined && this.#failures.size >= failureKindsMax) return
    this.#failures.set(reason, { reason, path: same?.path ?? path, count: (same?.count ?? 0) + 1 })
  }

  #addDifference({ endpoint, path }: { endpoint: string; path: string }, found: Difference): void {
    const { field, item, here, there } = found
    const key = `${endpoint} ${field}`
    const same = this.#differences.get(key)
    if (same !== undefined) {
      this.#differences.set(key, { ...same, count: same.count + 1 })
    } else if (this.#differences.size >= differencesMax) {
      this.#leftOut += 1
    } else {
      const example = { path, item, here: shown(here), there: shown(there) }
      this.#differences.set(key, { endpoint, field, count: 1, example })
    }
  }
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length <= valueCharsMax ? text : `${text.slice(0, valueCharsMax)}…`
}
