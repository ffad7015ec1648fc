import type { Metrics } from '../../../libs/signals/metrics.ts'
import type { AuditShown } from '../../api/status/audit-shown.ts'
import { AuditTally } from '../operate/audit/audit-tally.ts'
import { checkedKinds, outcomes, type PageLook } from '../operate/audit/finding.ts'

/** What rounds of an audit have found, in metrics and for the status page. */
export class AuditFigures {
  readonly #metrics: Pick<Metrics, 'auditedValues' | 'auditDiffering' | 'auditTime'>
  /** Of the last finished round. */
  #finished = new AuditTally()
  /** In ms since 1970; null before the first round has ended. */
  #finishedAt: number | null = null
  #present = new AuditTally()

  constructor(metrics: Pick<Metrics, 'auditedValues' | 'auditDiffering' | 'auditTime'>) {
    this.#metrics = metrics
    for (const kind of checkedKinds) {
      for (const outcome of outcomes) metrics.auditedValues.inc({ kind, outcome }, 0)
    }
    metrics.auditDiffering.set(0)
    metrics.auditTime.set(0)
  }

  /** Begins a round: one that has not ended is forgotten. */
  begin(): void {
    this.#present = new AuditTally()
    this.#showDiffering()
  }

  /** A difference is shown at once: a round takes minutes. */
  add(look: PageLook): void {
    this.#present.add(look)
    for (const { kind, outcome } of look.findings)
      this.#metrics.auditedValues.inc({ kind, outcome })
    this.#showDiffering()
  }

  /** @param at in ms since 1970 */
  end(at: number): void {
    this.#finished = this.#present
    this.#finishedAt = at
    this.#metrics.auditTime.set(at / 1_000)
    this.#showDiffering()
  }

  get shown(): AuditShown {
    const tally = this.#worse
    return {
      at: this.#finishedAt,
      checked: tally.rows.reduce((sum, { checked }) => sum + checked, 0),
      equal: tally.count('equal'),
      differing: tally.count('differing'),
      unknown: tally.count('unknown'),
      rows: tally.rows,
      differences: tally.examples('differing'),
    }
  }

  /** The last finished round, or the present one if more differs in it already. */
  get #worse(): AuditTally {
    const isWorse = this.#present.count('differing') > this.#finished.count('differing')
    return isWorse ? this.#present : this.#finished
  }

  #showDiffering(): void {
    this.#metrics.auditDiffering.set(this.#worse.count('differing'))
  }
}
