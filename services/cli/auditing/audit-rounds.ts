import { SourceError } from '../../../libs/ports/chain-source.ts'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import { pause } from '../../../libs/signals/pause.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import type { AuditReport } from '../operate/audit/audit-report.ts'
import type { CheckedKind, PageLook } from '../operate/audit/finding.ts'
import { describeFailure } from '../process/failure.ts'
import type { AuditFigures } from './audit-figures.ts'

interface AuditRoundsOptions {
  /** Compares one sample; hands on each look. Rejects where nothing could be compared. */
  readonly round: (onLook: (look: PageLook) => void) => Promise<AuditReport>
  readonly figures: AuditFigures
  readonly log: Log
  readonly signal: AbortSignal
  /** Between two rounds. */
  readonly pauseMs?: number
  /** In ms since 1970. */
  readonly now?: () => number
}

const pauseMsDefault = 10_000

/** Round after round until the signal aborts. Never rejects: a round that fails is warned of. */
export async function auditRounds(options: AuditRoundsOptions): Promise<void> {
  const { signal, pauseMs = pauseMsDefault, log } = options
  /** Since the last round that went well. */
  const warnedOf = new Set<string>()
  while (!signal.aborted) {
    try {
      const isOver = await unlessAborted(oneRound(options), signal)
      if (isOver) warnedOf.clear()
    } catch (error) {
      const kind = kindOf(error)
      const { sentence } = describeFailure(error, null)
      const fields = { event: events.audit.failed, runbook: runbooks.auditDiffers }
      if (!warnedOf.has(kind)) log.warn(fields, `nothing was compared with the node: ${sentence}`)
      warnedOf.add(kind)
    }
    await pause(pauseMs, signal)
  }
}

/** Few: the classes of errors, and what is wrong with a node. */
const kindOf = (error: unknown): string => {
  if (error instanceof SourceError) return `${error.name} ${error.kind}`
  return error instanceof Error ? error.name : 'unknown'
}

async function oneRound({ round, figures, log, signal, now = Date.now }: AuditRoundsOptions) {
  figures.begin()
  // What a round that was given up still finds counts no more.
  const report = await round((look) => signal.aborted || figures.add(look))
  if (signal.aborted) return
  if (!isCompared(report)) throw new NothingCompared(report)
  figures.end(now())
  const { count, examples } = report.differing
  const [first] = examples
  if (first === undefined) return
  log.warn(
    { event: events.audit.differs, runbook: runbooks.auditDiffers, count, seed: report.seed },
    `${count} values differ from the node, the first is ${first.field} of ${first.path}`,
  )
}

const kindsOfState: readonly CheckedKind[] = ['words', 'supplies', 'balances', 'holders', 'owners']

/** Where a side failed, only with something of the state: else a difference would be gone. */
function isCompared({ rows, failures }: AuditReport): boolean {
  const compared = rows.filter(({ checked }) => checked > 0)
  if (failures.every(({ side }) => side === 'moved')) return compared.length > 0
  return compared.some(({ kind }) => kindsOfState.includes(kind))
}

/** Neither side could be asked, or there is nothing to ask for. */
class NothingCompared extends Error {
  override readonly name: string

  constructor({ failures: [failure] }: AuditReport) {
    super(failure === undefined ? 'no subject was found' : `${failure.side}: ${failure.reason}`)
    this.name = `NothingCompared ${failure?.side ?? ''}`
  }
}

/** @returns false once the signal aborts, whatever becomes of the work: a node may take long */
async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<boolean> {
  const aborted = new AbortController()
  const waiting = new Promise<boolean>((resolve) => {
    const stop = () => resolve(false)
    signal.addEventListener('abort', stop, { once: true, signal: aborted.signal })
    if (signal.aborted) stop()
  })
  try {
    return await Promise.race([work.then(() => true), waiting])
  } finally {
    aborted.abort()
  }
}
