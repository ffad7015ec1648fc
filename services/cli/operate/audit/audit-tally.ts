import { type Standard, standards } from '../../../../libs/chain/token.ts'
import {
  type AuditOutcome,
  type CheckedKind,
  checkedKinds,
  type Finding,
  type LookFailure,
  type PageLook,
} from './finding.ts'

/** Values of one kind, and of tokens of one standard. */
export interface AuditRow extends Readonly<Record<AuditOutcome, number>> {
  readonly kind: CheckedKind
  readonly standard: Standard | null
  /** Equal, differing and unknown ones: those with which something was compared. */
  readonly checked: number
  /** Share of the checked ones that are equal, 0 .. 1; null without any. */
  readonly coverage: number | null
}

export interface CountedFailure extends LookFailure {
  readonly count: number
}

/** A value of Foldscan beside the node's. */
export type AuditExample = Pick<Finding, 'kind' | 'path' | 'field' | 'block' | 'shown' | 'told'>

/** Of these outcomes examples are kept. */
export type Notable = 'differing' | 'unknown' | 'moved'

/** Of each outcome, the first ones. */
const examplesMax = 100
const failureKindsMax = 20
const valueCharsMax = 200
/** Of two long values, shown before what differs. */
const equalCharsMax = 20

interface Group extends Record<AuditOutcome, number> {
  readonly kind: CheckedKind
  readonly standard: Standard | null
}

/** Counts what looks found. */
export class AuditTally {
  readonly #groups = new Map<string, Group>()
  readonly #examples = new Map<Notable, AuditExample[]>()
  readonly #failures = new Map<string, CountedFailure>()

  add({ findings, failure }: PageLook): void {
    for (const finding of findings) this.#addFinding(finding)
    if (failure !== null) this.#addFailure(failure)
  }

  /** In the order of `checkedKinds` and `standards`. */
  get rows(): readonly AuditRow[] {
    const placeOf = ({ kind, standard }: Group) =>
      checkedKinds.indexOf(kind) * (standards.length + 1) +
      (standard === null ? 0 : standards.indexOf(standard) + 1)
    return [...this.#groups.values()]
      .sort((one, other) => placeOf(one) - placeOf(other))
      .map((group) => {
        const checked = group.equal + group.differing + group.unknown
        return { ...group, checked, coverage: checked === 0 ? null : group.equal / checked }
      })
  }

  count(outcome: AuditOutcome): number {
    return [...this.#groups.values()].reduce((sum, group) => sum + group[outcome], 0)
  }

  examples(outcome: Notable): readonly AuditExample[] {
    return this.#examples.get(outcome) ?? []
  }

  get failures(): readonly CountedFailure[] {
    return [...this.#failures.values()]
  }

  #addFinding(finding: Finding): void {
    const { kind, standard, outcome } = finding
    const key = `${kind} ${standard}`
    const group = this.#groups.get(key) ?? { kind, standard, ...noneCounted }
    group[outcome] += 1
    this.#groups.set(key, group)
    if (outcome === 'equal' || outcome === 'unanswered') return
    const examples = this.#examples.get(outcome) ?? []
    if (examples.length < examplesMax) examples.push(exampleOf(finding))
    this.#examples.set(outcome, examples)
  }

  #addFailure(failure: LookFailure): void {
    const key = `${failure.side} ${failure.reason}`
    const same = this.#failures.get(key)
    if (same === undefined && this.#failures.size >= failureKindsMax) return
    this.#failures.set(key, { ...(same ?? failure), count: (same?.count ?? 0) + 1 })
  }
}

const noneCounted = { equal: 0, differing: 0, unknown: 0, unanswered: 0, moved: 0 }

function exampleOf({ kind, path, field, block, shown, told }: Finding): AuditExample {
  const from = Math.max(0, equalCharsOf(shown ?? '', told ?? '') - equalCharsMax)
  return { kind, path, field, block, shown: shortened(shown, from), told: shortened(told, from) }
}

/** Of two long values, the part in which they differ. */
function shortened(text: string | null, differsFrom: number): string | null {
  if (text === null || text.length <= valueCharsMax) return text
  const end = differsFrom + valueCharsMax
  const part = text.slice(differsFrom, end)
  return `${differsFrom > 0 ? '…' : ''}${part}${end < text.length ? '…' : ''}`
}

function equalCharsOf(one: string, other: string): number {
  let equal = 0
  while (equal < one.length && one[equal] === other[equal]) equal++
  return equal
}
